"""Write each command's help, and the exit codes, into README.md; a test holds the two equal."""

import os
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
COMMANDS_MARKS = "<!-- commands -->\n", "<!-- end of commands -->"
CODES_MARKS = "<!-- exit codes -->\n", "<!-- end of exit codes -->"


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
    """Return the text of the README with the present help and exit codes in it."""
    from tfrec.cli.commands import COMMANDS, cli
    from tfrec.cli.exits import MEANINGS

    rows = [f"- [`tfrec {name}`](#tfrec-{name}): {cli.describe(name)}\n" for name in COMMANDS]
    sections = [
        f"### tfrec {name}\n\n```text\n{read_help(name).rstrip()}\n```\n" for name in COMMANDS
    ]
    codes = [f"| {code} | {meaning} |\n" for code, meaning in MEANINGS.items()]
    readme = replaced(readme, COMMANDS_MARKS, f"\n{''.join(rows)}\n" + "\n".join(sections) + "\n")
    return replaced(readme, CODES_MARKS, f"\n| code | |\n|---|---|\n{''.join(codes)}\n")


def replaced(text: str, marks: tuple[str, str], content: str) -> str:
    """Return a text with `content` between its two marks."""
    start, end = marks
    before, _, rest = text.partition(start)
    after = rest.partition(end)[2]
    return f"{before}{start}{content}{end}{after}"


if __name__ == "__main__":
    README.write_text(with_commands(README.read_text()))
