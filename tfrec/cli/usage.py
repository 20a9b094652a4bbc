"""How wrong usage is told: what is wrong, how the command goes, and where more is said."""

import re

import click

from tfrec.cli.render import tell

_IN_PLAIN_WORDS = (
    (r"is not a valid integer( range)?$", "is no whole number"),
    (r"is not a valid float( range)?$", "is no number"),
    (r"is not in the range (\S+)<=x<=(\S+)$", r"must be from \1 to \2"),
    (r"is not in the range x>=(\S+)$", r"must be at least \1"),
    (r"is not in the range x<=(\S+)$", r"must be at most \1"),
)
"""What click says of values."""


def tell_usage(error: click.ClickException) -> None:
    """Say what is wrong with the command line."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        tell(context.get_usage())
    message = error.format_message().removesuffix(".")
    for pattern, words in _IN_PLAIN_WORDS:
        message = re.sub(pattern, words, message)
    tell(f"error: {message[:1].lower()}{message[1:]}")
    if context is not None:
        tell(f"`{context.command_path} --help` says more")
