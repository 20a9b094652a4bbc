"""Options that say which files are images, and of which class: build, check."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from tfrec.cli.option_groups import option_group
from tfrec.cli.options import PATH

if TYPE_CHECKING:
    from tfrec.source.image_source import ImageSource
    from tfrec.storage import Storage


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What was asked for, to be found once the directory is known."""

    label_from: str
    labels: str | None
    label_offset: int | None
    table: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]

    def scan(
        self, directory: str, storage: "Storage", *, from_splits: bool = False
    ) -> "ImageSource":
        """Find the images of `directory` and their classes.

        With `from_splits` the folders directly below it are splits, and those in them classes.
        """
        from tfrec.source.labels import read_labels
        from tfrec.source.table import scan_table
        from tfrec.source.walk import scan_images

        labels = None
        if self.labels is not None:
            labels = read_labels(self.labels, storage=storage, offset=self.label_offset)
        offset = self.label_offset or 0
        if from_splits and self.label_from != "top":
            raise click.UsageError(
                "with `--split-from-dirs` the second folder of a path is its class; leave out "
                "`--label-from`"
            )
        if self.table is not None:
            self._refuse_beside_table()
            return scan_table(self.table, directory, storage=storage, labels=labels, offset=offset)
        return scan_images(
            directory,
            storage=storage,
            label_rule="second" if from_splits else self._label_rule(),
            labels=labels,
            offset=offset,
            include=self.include,
            exclude=self.exclude,
        )

    def _label_rule(self) -> 'Literal["top", "leaf"] | re.Pattern[str]':
        if self.label_from in ("top", "leaf"):
            return cast('Literal["top", "leaf"]', self.label_from)
        try:
            return re.compile(self.label_from)
        except re.error as error:
            raise click.UsageError(
                f"`--label-from {self.label_from}`: it is no pattern: {error}"
            ) from error

    def _refuse_beside_table(self) -> None:
        if self.include or self.exclude or self.label_from != "top":
            raise click.UsageError(
                "`--csv` names the images and their classes itself; leave out `--label-from`, "
                "`--include` and `--exclude`"
            )


def _make_options(**values: Any) -> SourceOptions:  # noqa: ANN401 (the options below)
    return SourceOptions(**values)


source_options = option_group(
    "source_options",
    _make_options,
    [
        click.option(
            "--label-from",
            metavar="top|leaf|REGEX",
            default="top",
            show_default=True,
            help="Where a path has its class: its first folder, its last, or what group 1 of a "
            "pattern finds in it.",
        ),
        click.option(
            "--labels",
            metavar="FILE",
            type=PATH,
            help="The classes in the order of their numbers: one name a line, or a label map "
            "(.pbtxt). An image of another class ends the command.",
        ),
        click.option(
            "--label-offset",
            type=click.IntRange(min=0),
            metavar="N",
            help="The number of the first class.  [default: 0, or that of the label map]",
        ),
        click.option(
            "--csv",
            "table",
            metavar="FILE",
            type=PATH,
            help="A table that names each image's path and class; further columns can become "
            "features.",
        ),
        click.option(
            "--include",
            multiple=True,
            metavar="GLOB",
            help="Take only the files that match; may be given again.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            metavar="GLOB",
            help="Ignore the files and folders that match; may be given again.",
        ),
    ],
)
