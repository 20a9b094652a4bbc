"""`tfrec verify`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import records_bar
from tfrec.cli.render import count, num_bytes, say, say_json

if TYPE_CHECKING:
    from tfrec.operations.verify import FileReport


_KINDS = {
    "SequenceExample": "SequenceExamples",
    "Event": "Events",
    "proto": "other messages, checked as records alone",
    "bytes": "no messages, checked as records alone",
}


@command(
    examples=[
        "tfrec verify out.tfrecords",
        "tfrec verify dataset/ --images",
        "tfrec verify 'old/*.tfrecord' --json",
    ],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@click.option("--images", "check_images", is_flag=True, help="Decode every image too.")
@options.workers
@options.engine_of_files("checks")
@options.ray_address
@options.json_output
@click.pass_context
def verify(
    ctx: click.Context,
    paths: tuple[str, ...],
    check_images: bool,
    workers: int | None,
    engine: str,
    ray_address: str | None,
    as_json: bool,
) -> None:
    """Check every record of PATH: files, directories, patterns, or `-` for standard input.

    Both checksums of each record are compared, and nothing may be left over at the end. The records
    of a file must be messages of one kind, and the Examples alike: each feature of the same kind,
    image and label in each, and no label without a class. Where a manifest describes a file
    (`dataset.json` in a directory, OUT.json beside a file OUT, TFDS's `dataset_info.json`), its
    records, bytes and SHA-256 must be what it says.

    Behind damage the check goes on at the next intact record. An empty file is a valid file of no
    records. Files are checked beside one another, on all cores.
    """
    from tfrec.operations.verify import verify as verify_files

    options.set_ray_address(engine, ray_address)
    with records_bar(paths, "records") as advance:
        reports = list(
            verify_files(
                paths,
                check_images=check_images,
                engine=engine,
                num_workers=workers,
                advance=advance,
            )
        )
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
    kind = f", {_KINDS[report.kind]}" if report.kind in _KINDS else ""
    say(f"{report.path}: {verdict}: {records}, {size}{compression}{kind}")
    for fault in report.faults:
        place = "" if fault.index is None else f"record {fault.index} at offset {fault.offset}"
        source = "" if fault.source is None else f" ({fault.source})"
        lost = "" if fault.end is None else f"; bytes {fault.start} to {fault.end} are lost"
        say(f"  {place}{source}{': ' if place else ''}{fault.reason}{lost}")


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
                "kind": report.kind,
                "faults": [
                    {
                        "record": fault.index,
                        "offset": fault.offset,
                        "lost": None if fault.end is None else [fault.start, fault.end],
                        "source": fault.source,
                        "reason": fault.reason,
                    }
                    for fault in report.faults
                ],
            }
            for report in reports
        ],
    }
