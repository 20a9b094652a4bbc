"""The form that all commands have: help that ends with examples and exit codes, loaded when asked.

Help must be quick, so a command's module imports what it works with inside its function.
"""

import difflib
import importlib
from collections.abc import Callable, Sequence

import click

from tfrec.cli import exits

_MAX_WIDTH = 100


def command(
    *, examples: Sequence[str], codes: Sequence[int]
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator like `click.command` whose help ends with examples and exit codes."""
    shown = (exits.DONE, *codes, exits.USAGE, exits.INTERRUPTED, exits.TERMINATED)
    lines = ["\b", "Examples:", *(f"  {example}" for example in examples), "", "\b", "Exit codes:"]
    lines += [f"  {code:<3} {exits.MEANINGS[code]}" for code in sorted(set(shown))]
    settings = {"max_content_width": _MAX_WIDTH, "help_option_names": ["-h", "--help"]}
    return click.command(epilog="\n".join(lines), context_settings=settings)


class LazyGroup(click.Group):
    """A group that imports a command's module when it is first needed: `tfrec.cli.<name>`."""

    def __init__(self, *args: object, names: Sequence[str] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own arguments
        self._names = list(names)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; where there are none, show the help, and end as wrong usage does."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(exits.USAGE)
        return super().parse_args(ctx, args)

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name, or say which one may be meant."""
        name = args[0]
        if name not in self._names and not name.startswith("-"):
            near = difflib.get_close_matches(name, self._names, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise click.UsageError(f"there is no command `{name}`{hint}", ctx)
        return super().resolve_command(ctx, args)

    def describe(self, name: str) -> str:
        """Return the first sentence of a command's help."""
        found = self.get_command(click.Context(self), name)
        sentence = (found.help or "").partition("\n\n")[0] if found is not None else ""
        return " ".join(sentence.split())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write each command with its whole first sentence; click itself would cut it off."""
        rows = [(name, self.describe(name)) for name in self._names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
