"""`tfrec verify`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_json

if TYPE_CHECKING:
    from tfrec.operations.verify import FileReport


@command(
    examples=["tfrec verify out.tfrecords", "tfrec verify dataset/ --json"],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@options.json_output
@click.pass_context
def verify(ctx: click.Context, paths: tuple[str, ...], as_json: bool) -> None:
    """Check every record of the files and directories PATH.

    Both checksums of each record are compared, each record must be a tf.train.Example, and nothing
    may be left over at the end. Where a manifest describes a file (`dataset.json` in a directory,
    OUT.json beside a file OUT), its records, bytes and SHA-256 must be those that it says. Behind
    damage the check goes on where the length of the damaged record is right.
    """
    from tfrec.operations.verify import verify as verify_files

    with progress_bar(None, "records") as advance:
        reports = list(verify_files(paths, advance=advance))
    num_faults = sum(len(report.faults) for report in reports)
    if as_json:
        say_json(_as_document(reports))
    else:
        for report in reports:
            _say_report(report)
        if len(reports) > 1:
            num_records = sum(report.num_records for report in reports)
            faults = count(num_faults, "fault") if num_faults else "no faults"
            say(f"{count(len(reports), 'file')}, {count(num_records, 'record')}, {faults}")
    ctx.exit(exits.FAILED if num_faults else exits.DONE)


def _say_report(report: "FileReport") -> None:
    size = num_bytes(report.num_bytes)
    compression = "" if report.compression == "none" else f", {report.compression}"
    verdict = count(len(report.faults), "fault") if report.faults else "ok"
    records = count(report.num_records, "intact record" if report.faults else "record")
    say(f"{report.path}: {verdict}: {records}, {size}{compression}")
    for fault in report.faults:
        place = "" if fault.index is None else f"record {fault.index} at offset {fault.offset}: "
        say(f"  {place}{fault.reason}")


def _as_document(reports: "list[FileReport]") -> dict[str, Any]:
    return {
        "num_records": sum(report.num_records for report in reports),
        "num_faults": sum(len(report.faults) for report in reports),
        "files": [
            {
                "path": report.path,
                "num_records": report.num_records,
                "num_bytes": report.num_bytes,
                "compression": report.compression,
                "faults": [
                    {"record": fault.index, "offset": fault.offset, "reason": fault.reason}
                    for fault in report.faults
                ],
            }
            for report in reports
        ],
    }
