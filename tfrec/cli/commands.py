"""The `tfrec` command: the group, global options, and how errors end it."""

import os
import sys
from typing import NoReturn

import click

from tfrec.cli import bad_images, exits
from tfrec.cli.command import LazyGroup
from tfrec.cli.interrupts import raise_lost
from tfrec.cli.render import tell
from tfrec.cli.shortages import describe_shortage
from tfrec.cli.usage import tell_usage
from tfrec.errors import BadImagesError, ChecksumError, TfrecError, TruncatedRecordError

COMMANDS = (
    "build",
    "check",
    "dump",
    "verify",
    "inspect",
    "cat",
    "salvage",
    "reshard",
    "index",
    "diff",
)

_REASONS: dict[type[OSError], str] = {
    FileNotFoundError: "there is no such file or directory",
    FileExistsError: "it is there already; name another, or remove it",
    IsADirectoryError: "it is a directory, and must be a file",
    NotADirectoryError: "it is a file, and must be a directory",
}


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from tfrec._version import __version__
    from tfrec.images.versions import find_versions
    from tfrec.wire.crc32c import BACKEND

    libraries = ", ".join(f"{name} {version}" for name, version in find_versions().items())
    click.echo(f"tfrec {__version__} ({libraries}, CRC-32C by {BACKEND})")
    ctx.exit()


class _Commands(LazyGroup):
    """The commands; one that lacks memory, files or threads says what helps."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command.

        Raises:
            TfrecError: the system has too little of something.
            Interrupted: an interrupt came before the error.
        """
        try:
            return super().invoke(ctx)
        except Exception as error:
            raise_lost()  # what an interrupt breaks half-way is no error of its own
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            options = {parameter.name for parameter in command.params} if command else ()
            shortage = describe_shortage(error, has_workers="workers" in options)
            if shortage is None:
                raise
            raise TfrecError(shortage) from None


@click.group(
    cls=_Commands,
    names=COMMANDS,
    epilog="`tfrec COMMAND --help` shows the options, examples and exit codes of a command.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, and those of the libraries that decide the bytes.",
)
def cli() -> None:
    """Turn labelled images into TFRecord datasets, and read TFRecords back, without TensorFlow."""


def run() -> NoReturn:
    """Run the command line and exit with a documented code."""
    _open_missing_streams()
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        tell_usage(error)
        code = error.exit_code
    except (TfrecError, OSError) as error:
        code = _end_with(error)
    sys.exit(code or exits.DONE)


def _open_missing_streams() -> None:
    """Open the standard streams that whoever started us has closed.

    Else the first files that are opened take their numbers, and what a C library prints, and a
    record file would get the warnings of libtiff.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(descriptor, mode))


def _end_with(error: TfrecError | OSError) -> int:
    if isinstance(error, BadImagesError):
        bad_images.tell_failure(error.images)
    else:
        tell(f"error: {_sentence(error)}")
    if isinstance(error, (ChecksumError, TruncatedRecordError)):
        tell("`tfrec verify` names all damage, `tfrec salvage` copies the records that are intact")
    return exits.code_of(error)


def _sentence(error: TfrecError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        reason = _REASONS.get(type(error)) or error.strerror or "failed"
        return f"{os.fsdecode(error.filename)}: {reason}"
    return str(error)
