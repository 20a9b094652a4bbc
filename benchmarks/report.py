"""The results as a table, and the machine they were measured on."""

import argparse
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from comparisons import Comparison
from measure import Measurement

BEGIN, END = "<!-- results -->\n", "<!-- end of results -->\n"


@dataclass(frozen=True)
class Result:
    """The runs of both sides, in pairs of neighbours."""

    comparison: Comparison
    ours: Sequence[Measurement]
    other: Sequence[Measurement]


def to_table(results: Sequence[Result]) -> str:
    """Return a Markdown table: medians, and in brackets the least and the greatest value."""
    rows = [
        "| task | `tfrec` | beside | its time | times as fast |",
        "|---|---|---|---|---|",
        *map(_to_row, results),
    ]
    return "\n".join(rows)


def _to_row(result: Result) -> str:
    quantity = result.comparison.quantity
    ours, other = (list(map(quantity, side)) for side in (result.ours, result.other))
    ratios = [theirs / mine for mine, theirs in zip(ours, other, strict=True)]
    cells = (
        result.comparison.task,
        f"{_spread(ours, ' s')}, {_peak(result.ours)}",
        result.comparison.other_name,
        f"{_spread(other, ' s')}, {_peak(result.other)}",
        _spread(ratios),
    )
    return f"| {' | '.join(cells)} |"


def _spread(values: Sequence[float], unit: str = "") -> str:
    return f"{statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"


def _peak(runs: Sequence[Measurement]) -> str:
    return f"{statistics.median(run.peak_mib for run in runs):.0f} MiB"


def describe_machine(options: argparse.Namespace) -> str:
    """Return what the figures depend on, as one paragraph."""
    names = ("tfrec-builder", "pillow", "numpy", "protobuf", "tensorflow-cpu")
    versions = ", ".join(f"{name} {_version(name)}" for name in names if _version(name))
    return (
        f"{options.images:,} JPEGs of {options.size}, {options.threads} threads, "
        f"{options.rounds} rounds; {os.cpu_count()} cores, {_processor()}, "
        f"{platform.system()}; Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def replace_results(path: Path, text: str) -> None:
    """Put `text` between the marks of the file."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
