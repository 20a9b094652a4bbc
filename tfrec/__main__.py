"""`python -m tfrec`: the `tfrec` command."""

from tfrec.cli.main import main

main()
