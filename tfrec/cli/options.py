"""Options that several commands share.

json_output      verify, inspect, build, dump
dataset_paths    verify, inspect, dump
overwrite        build, dump
workers          build, dump
"""

import click

json_output = click.option(
    "--json", "as_json", is_flag=True, help="Write the result as JSON, for programs."
)

workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many threads decode.  [default: one for each core]",
)

engine = click.option(
    "--engine",
    type=click.Choice(["threads", "processes"]),
    default="threads",
    show_default=True,
    help="What the workers are; processes write a whole file each.",
)

dataset_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
