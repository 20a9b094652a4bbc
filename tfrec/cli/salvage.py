"""`tfrec salvage`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, say, say_json, tell

if TYPE_CHECKING:
    from tfrec.operations.salvage import SalvageReport


@command(
    examples=[
        "tfrec salvage damaged.tfrecord good.tfrecord",
        "tfrec salvage damaged.tfrecord.gz good.tfrecord --json",
    ],
    codes=(exits.FAILED, exits.LEFT_OUT),
)
@click.argument("path", metavar="IN", type=options.PATH)
@click.argument("out", metavar="OUT", type=options.PATH)
@options.compression
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@options.json_output
@click.pass_context
def salvage(
    ctx: click.Context,
    path: str,
    out: str,
    compression: Any,  # noqa: ANN401 (one of the option's choices)
    overwrite: bool,
    as_json: bool,
) -> None:
    """Copy every intact record of the file IN to the file OUT.

    A record is intact if both its checksums are right; it is copied byte for byte. A damaged
    payload is stepped over; behind a damaged length the next intact record is searched for. Of a
    damaged gzip or zlib file, what comes before the damage is used, and the gzip members behind it.
    The class names that a manifest has for IN go with the records, into OUT.json.

    What was lost is told by offsets in the uncompressed data.
    """
    from tfrec.operations.salvage import salvage as salvage_file

    with progress_bar(None, "records") as advance:
        report = salvage_file(
            path, out, compression=compression, overwrite=overwrite, advance=advance
        )
    for note in report.notes:
        tell(f"note: {note}")
    if as_json:
        say_json(_as_document(report))
    else:
        _say_report(report)
    ctx.exit(exits.LEFT_OUT if report.faults else exits.DONE)


def _say_report(report: "SalvageReport") -> None:
    lost = f"{count(report.num_bytes_lost, 'byte')} lost" if report.faults else "nothing lost"
    say(f"{report.path}: {count(report.num_records, 'record')} kept, {lost}")
    for fault in report.faults:
        source = "" if fault.source is None else f" ({fault.source})"
        say(f"  bytes {fault.start} to {fault.end}{source}: {fault.reason}")


def _as_document(report: "SalvageReport") -> dict[str, Any]:
    return {
        "path": report.path,
        "num_records": report.num_records,
        "num_bytes_lost": report.num_bytes_lost,
        "lost": [
            {
                "record": fault.index,
                "start": fault.start,
                "end": fault.end,
                "source": fault.source,
                "reason": fault.reason,
            }
            for fault in report.faults
        ],
    }
