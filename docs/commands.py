"""Write each command's help into README.md; `make docs` runs it, and a test holds the two equal."""

import os
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
START, END = "<!-- commands -->\n", "<!-- end of commands -->"


def read_help(*command: str) -> str:
    """Return what `tfrec COMMAND --help` prints on a terminal of 80 columns."""
    done = subprocess.run(
        [sys.executable, "-m", "tfrec", *command, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.replace("python -m tfrec", "tfrec")


def with_commands(readme: str) -> str:
    """Return the text of the README with the present help in it."""
    from tfrec.cli.main import COMMANDS, cli

    rows = [f"- [`tfrec {name}`](#tfrec-{name}): {cli.describe(name)}\n" for name in COMMANDS]
    sections = [
        f"### tfrec {name}\n\n```text\n{read_help(name).rstrip()}\n```\n" for name in COMMANDS
    ]
    before, _, rest = readme.partition(START)
    after = rest.partition(END)[2]
    return f"{before}{START}\n{''.join(rows)}\n" + "\n".join(sections) + f"\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_commands(README.read_text()))
