"""The form that all commands have: help that ends with examples and exit codes, loaded when asked.

Help must be quick, so a command's module imports what it works with inside its function.
"""

import importlib
from collections.abc import Callable, Sequence

import click

from tfrec.cli import exits

_MAX_WIDTH = 100


def command(
    *, examples: Sequence[str], codes: Sequence[int]
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator like `click.command` whose help ends with examples and exit codes."""
    shown = (exits.DONE, *codes, exits.USAGE, exits.INTERRUPTED)
    lines = ["\b", "Examples:", *(f"  {example}" for example in examples), "", "\b", "Exit codes:"]
    lines += [f"  {code:<3} {exits.MEANINGS[code]}" for code in sorted(set(shown))]
    settings = {"max_content_width": _MAX_WIDTH, "help_option_names": ["-h", "--help"]}
    return click.command(epilog="\n".join(lines), context_settings=settings)


class LazyGroup(click.Group):
    """A group that imports a command's module when it is first needed: `tfrec.cli.<name>`."""

    def __init__(self, *args: object, names: Sequence[str] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own arguments
        self._names = list(names)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names in the order in which a user meets them."""
        return self._names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command, or None where there is none of that name."""
        if cmd_name not in self._names:
            return None
        module = importlib.import_module(f"tfrec.cli.{cmd_name}")
        found: click.Command = getattr(module, cmd_name)
        return found
