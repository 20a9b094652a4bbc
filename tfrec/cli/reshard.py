"""`tfrec reshard`."""

from typing import Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_json, tell


@command(
    examples=[
        "tfrec reshard dataset/ one.tfrecord",
        "tfrec reshard big.tfrecord dataset/ --num-shards 64 --shuffle --memory 2GiB",
        "tfrec reshard 'old/*.tfrecord.gz' cats.tfrecord --where 'label == 0'",
    ],
    codes=(exits.FAILED,),
)
@options.dataset_paths_and_out
@click.option(
    "--num-shards",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many files the directory OUT gets.",
)
@click.option("--shuffle", is_flag=True, help="Put all records in a random order.")
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Decides the order."
)
@click.option(
    "--memory",
    callback=options.parse_num_bytes,
    default="1GiB",
    show_default=True,
    metavar="SIZE",
    help="How much a shuffle may use; what doesn't fit goes to nameless files beside OUT.",
)
@click.option(
    "--split",
    metavar="NAME",
    help="Take the files of this split alone; otherwise those of all splits become one.",
)
@options.selection
@options.compression
@options.compression_level
@options.workers
@options.engine_of_files("writes")
@options.ray_address
@click.option("--overwrite", is_flag=True, help="Replace the file OUT.")
@options.json_output
def reshard(
    paths: tuple[str, ...],
    out: str,
    num_shards: int,
    shuffle: bool,
    seed: int,
    memory: int,
    split: str | None,
    ranges: tuple[str, ...],
    tests: tuple[str, ...],
    compression: Any,  # noqa: ANN401 (one of the option's choices)
    compression_level: int,
    workers: int | None,
    engine: str,
    ray_address: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the records of PATH to OUT: merged, divided, selected, shuffled or compressed.

    An OUT that ends in .tfrecord, .tfrecords, .tfrec or .record (.gz or .zz may follow) is one
    file; any other OUT is a new directory of files. Records are copied byte for byte, in their
    order unless --shuffle is given; the same seed gives the same order, with any --memory.

    The files of a directory are written beside one another, on all cores. A shuffle is one over all
    records, and is written by one process, as are many files out of few compressed ones.
    """
    from tfrec.operations.reshard import ReshardConfig
    from tfrec.operations.reshard import reshard as reshard_files
    from tfrec.operations.selection import Selection

    config = ReshardConfig(
        num_shards=num_shards,
        split=split,
        selection=Selection.parse(ranges, tests),
        seed=seed if shuffle else None,
        compression=compression,
        compression_level=compression_level,
    )
    options.set_ray_address(engine, ray_address)
    with progress_bar(None, "records") as advance:
        report = reshard_files(
            paths,
            out,
            config,
            memory=memory,
            engine=engine,
            num_workers=workers,
            overwrite=overwrite,
            advance=advance,
        )
    for note in report.notes:
        tell(f"note: {note}")
    if not config.selection.is_all and not report.num_records:
        options.tell_none_chosen(paths, config.selection)
    size = sum(shard.num_bytes for shard in report.shards)
    if as_json:
        say_json(
            {
                "path": report.path,
                "num_records": report.num_records,
                "num_bytes": size,
                "shards": [
                    {"name": shard.name, "num_records": shard.num_records, "sha256": shard.sha256}
                    for shard in report.shards
                ],
            }
        )
        return
    files = f" in {count(len(report.shards), 'file')}" if len(report.shards) > 1 else ""
    say(f"{report.path}: {count(report.num_records, 'record')}{files}, {num_bytes(size)}")
