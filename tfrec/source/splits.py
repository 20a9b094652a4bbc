"""Divide the images of a source into splits, and put them into an order.

Nothing here draws random numbers: all choices follow from BLAKE2b hashes of the relative paths,
keyed by the seed, so that a seed gives the same splits on every machine, with every version of
Python.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from itertools import accumulate
from typing import Literal

from tfrec.errors import ConfigError, SourceError
from tfrec.source.apportion import apportion
from tfrec.source.image_source import ImageSource, Note
from tfrec.source.paths import display_path, sort_key

SplitMethod = Literal["exact", "stable"]
"""`exact` gives each class its share to one image; `stable` keeps every image as others come."""

_HASH_BITS = 64
_NAME = re.compile(r"[\w-]+", re.ASCII)
_SIZE = re.compile(r"\d{1,18}|\d{0,9}\.\d{1,18}|\d{1,9}/0*[1-9]\d{0,8}", re.ASCII)
_REST = "rest"


@dataclass(frozen=True)
class SplitSpec:
    """The splits wanted, in order: `sizes` are fractions that add up to 1, or numbers of images.

    One number of images may be None: the rest.
    """

    names: tuple[str, ...]
    sizes: tuple[Fraction, ...] | tuple[int | None, ...]

    @classmethod
    def parse(cls, text: str) -> "SplitSpec":
        """Read `train=0.8,validation=0.1,test=0.1`, `a=2/3,b=1/3` or `train=rest,test=500`.

        Raises:
            ConfigError: it is no such text, or the fractions don't add up to 1.
        """
        parts = [part.strip().partition("=") for part in text.split(",")]
        for name, _, size in parts:
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"splits `{text}`: `{name}` is no name; use letters, digits, `_` and `-`"
                )
            if size != _REST and not _SIZE.fullmatch(size):
                raise ConfigError(
                    f"splits `{text}`: the size of `{name}` is `{size}`; give a fraction such as "
                    f"0.1, a number of images, or `{_REST}`"
                )
        names = tuple(name for name, _, _ in parts)
        repeated = [name for name, number in Counter(names).items() if number > 1]
        if repeated:
            raise ConfigError(f"splits `{text}`: `{repeated[0]}` is named twice")
        return cls(names, _parse_sizes([size for _, _, size in parts], text))

    @property
    def is_by_fraction(self) -> bool:
        return all(isinstance(size, Fraction) for size in self.sizes)

    def shares_of(self, num_images: int) -> tuple[Fraction, ...]:
        """Return the sizes as fractions of `num_images`; raise ConfigError where they don't fit."""
        known = [size for size in self.sizes if size is not None]
        if self.is_by_fraction:
            return tuple(map(Fraction, known))
        rest = num_images - sum(map(int, known))
        if rest < 0 or (rest > 0 and len(known) == len(self.sizes)):
            raise ConfigError(
                f"the splits take {sum(map(int, known)):,} images, and there are {num_images:,}; "
                f"give one of them the size `{_REST}`"
            )
        return tuple(
            Fraction(rest if size is None else size, max(num_images, 1)) for size in self.sizes
        )


def shuffle_key(path: str, seed: int) -> bytes:
    """Return what to sort paths by for an order that depends on nothing but `seed`."""
    return _hash(path, seed, b"tfrec order")


def assign_splits(
    source: ImageSource,
    spec: SplitSpec,
    *,
    seed: int = 0,
    method: SplitMethod = "exact",
    group_by: re.Pattern[str] | None = None,
) -> dict[str, ImageSource]:
    """Divide `source` into the splits of `spec`, each with all labels.

    Images for whose paths `group_by` finds the same (its first group, or all it matches) come into
    the same split; sizes are then met as nearly as the groups allow. The notes of a part concern
    that part alone.

    Raises:
        ConfigError: the numbers of images don't fit, or `method` is `stable` and they are no
            fractions.
    """
    if method == "stable":
        chosen = _choose_by_hash(source, spec, seed, group_by)
    elif group_by is not None:
        chosen = _choose_by_group(source, spec, seed, group_by)
    else:
        chosen = _choose_by_share(source, spec, seed)
    return {name: _take_part(source, name, chosen, index) for index, name in enumerate(spec.names)}


def split_by_folder(source: ImageSource) -> dict[str, ImageSource]:
    """Divide `source` by the first folder of each path, in the order of the folders' bytes.

    Every split has all labels, so that one which lacks a class numbers the others the same; a note
    names what it lacks.

    Raises:
        SourceError: a folder has no name that a split can have.
    """
    chosen = {path: path.partition("/")[0] for path in _all_paths(source)}
    splits = {}
    for name in sorted(set(chosen.values()), key=sort_key):
        if not _NAME.fullmatch(name):
            raise SourceError(
                f"{display_path(source.directory)}: the folder `{display_path(name)}` can't be a "
                "split; name it with letters, digits, `_` and `-`, or exclude it"
            )
        part = _take_part(source, name, chosen, name)
        splits[name] = replace(part, notes=tuple(_find_absent_classes(name, part, source)))
    return splits


def _find_absent_classes(split: str, part: ImageSource, source: ImageSource) -> Iterator[Note]:
    for name, paths, all_paths in zip(source.labels.names, part.paths, source.paths, strict=True):
        if all_paths and not paths:
            sentence = f"the class `{display_path(name)}` has no image in the split `{split}`"
            yield Note("absent class", name, sentence)


def _parse_sizes(texts: list[str], whole: str) -> tuple[Fraction, ...] | tuple[int | None, ...]:
    if texts.count(_REST) > 1:
        raise ConfigError(f"splits `{whole}`: only one of them can be `{_REST}`")
    known = [Fraction(text) for text in texts if text != _REST]
    are_numbers = all(text.isdecimal() for text in texts if text != _REST)
    if sum(known) == 1 and len(known) == len(texts):
        return tuple(known)
    if are_numbers:
        return tuple(None if text == _REST else int(text) for text in texts)
    rest = 1 - sum(known, Fraction(0))
    if rest < 0 or len(known) == len(texts):
        raise ConfigError(
            f"splits `{whole}`: the fractions add up to {float(sum(known))}, and must "
            "to 1; give one as `rest` to take what is left"
        )
    return tuple(rest if text == _REST else Fraction(text) for text in texts)


def _choose_by_share(source: ImageSource, spec: SplitSpec, seed: int) -> dict[str, int]:
    """Map each path to the index of its split, such that each class is divided by the shares."""
    sizes = apportion([len(paths) for paths in source.paths], spec.shares_of(source.num_images))
    chosen: dict[str, int] = {}
    for paths, row in zip(source.paths, sizes, strict=True):
        shuffled = sorted(paths, key=lambda path: _hash(path, seed, b"tfrec split"))
        places = [index for index, size in enumerate(row) for _ in range(size)]
        chosen.update(zip(shuffled, places, strict=True))
    return chosen


def _choose_by_hash(
    source: ImageSource, spec: SplitSpec, seed: int, group_by: re.Pattern[str] | None
) -> dict[str, int]:
    if not spec.is_by_fraction:
        raise ConfigError("stable splits need fractions: a number of images would move others")
    shares = spec.shares_of(source.num_images)
    ends = [int(end * (1 << _HASH_BITS)) for end in accumulate(shares)]
    chosen = {}
    for path in _all_paths(source):
        place = int.from_bytes(_hash(_group_of(path, group_by), seed, b"tfrec split"))
        chosen[path] = next(index for index, end in enumerate(ends) if place < end)
    return chosen


def _choose_by_group(
    source: ImageSource, spec: SplitSpec, seed: int, group_by: re.Pattern[str]
) -> dict[str, int]:
    """Give each group, the largest first, to the split that lacks most of the group's classes."""
    groups: dict[str, Counter[int]] = {}
    for label, paths in enumerate(source.paths):
        for path in paths:
            groups.setdefault(_group_of(path, group_by), Counter())[label] += 1
    shares = spec.shares_of(source.num_images)
    lacking = [[share * len(paths) for paths in source.paths] for share in shares]
    order = sorted(
        groups, key=lambda group: (-groups[group].total(), _hash(group, seed, b"tfrec split"))
    )
    chosen_group = {}
    for group in order:
        counts = groups[group]
        scores = [sum(number * row[label] for label, number in counts.items()) for row in lacking]
        index = scores.index(max(scores))
        chosen_group[group] = index
        for label, number in counts.items():
            lacking[index][label] -= number
    return {path: chosen_group[_group_of(path, group_by)] for path in _all_paths(source)}


def _all_paths(source: ImageSource) -> Iterable[str]:
    return (path for paths in source.paths for path in paths)


def _group_of(path: str, group_by: re.Pattern[str] | None) -> str:
    """Return the name of a path's group; a path that does not match is a group of its own."""
    found = group_by.search(path) if group_by is not None else None
    if found is None:
        return path
    # A path never starts with `/`, so no group has the name of a single path.
    return f"/{found[1] if found.re.groups else found[0]}"


def _take_part(
    source: ImageSource, name: str, chosen: Mapping[str, object], part: object
) -> ImageSource:
    paths = tuple(tuple(path for path in paths if chosen[path] == part) for paths in source.paths)
    notes: tuple[Note, ...] = ()
    if not any(paths):
        notes = (Note("empty split", "", f"the split `{name}` has no image"),)
    return replace(source, paths=paths, ignored={}, notes=notes)


def _hash(text: str, seed: int, purpose: bytes) -> bytes:
    """Return 8 bytes; `purpose` keeps the order within a split apart from the choice of it."""
    try:
        key = seed.to_bytes(8, "little", signed=True)
    except OverflowError:
        raise ConfigError(f"the seed is {seed}, and must be a number of 64 bits") from None
    return blake2b(sort_key(text), digest_size=_HASH_BITS // 8, key=key, person=purpose).digest()
