"""`tfrec index`."""

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, say, say_json


@command(
    examples=["tfrec index out.tfrecords", "tfrec index dataset/"],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@options.json_output
def index(paths: tuple[str, ...], as_json: bool) -> None:
    """Write an index beside each record file, so that records are found by their numbers.

    The index of FILE is FILE.idx, a text of one line a record: its offset and its size with the
    frame, as DALI and other readers take it. An index that is right already is kept; one of an
    earlier FILE is replaced. Compressed files can't be indexed.
    """
    from tfrec.operations.index import index as index_files

    with progress_bar(None, "records") as advance:
        reports = list(index_files(paths, advance=advance))
    if as_json:
        say_json(
            [
                {"path": report.path, "num_records": report.num_records, "is_kept": report.is_kept}
                for report in reports
            ]
        )
        return
    for report in reports:
        kept = ", kept as it is" if report.is_kept else ""
        say(f"{report.path}: {count(report.num_records, 'record')}{kept}")
