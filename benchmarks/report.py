"""The results as a table, and the machine they were measured on."""

import argparse
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from growth import Growth, measure_installation
from measure import Measurement
from tasks import Goal, Task

BEGIN, END = "<!-- results -->\n", "<!-- end of results -->\n"

MILLION = 1_000_000


@dataclass(frozen=True)
class Result:
    """The runs of each side of a task, by its name; those of one round stand at one place."""

    task: Task
    runs: dict[str, list[Measurement]]

    def quantities(self, side: str) -> list[float]:
        return [getattr(run, self.task.quantity) for run in self.runs[side]]

    def ratios(self, goal: Goal) -> list[float]:
        """Return how many times as fast ours was, round by round."""
        pairs = zip(self.quantities(goal.ours), self.quantities(goal.other), strict=True)
        return [other / ours for ours, other in pairs]


def to_page(
    results: Sequence[Result], quality: dict[str, str], growth: Sequence[Growth], machine: str
) -> str:
    """Return all results in Markdown."""
    parts = [machine, "### Ratios", _ratio_table(results), "### Rates, CPU and memory"]
    parts += ["Medians, and in brackets the least and the greatest.", _rate_table(results)]
    if quality:
        parts += ["### Pixels of `--fast` beside the exact ones", _quality_table(quality)]
    if growth:
        parts += ["### Growth", _growth_table(growth)]
    parts += ["### Size of the base install", _installation()]
    return "\n\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ratio_table(results: Sequence[Result]) -> str:
    rows = [
        (result.task.name, goal.ours, goal.other, _spread(ratios), *_judge(goal.least, ratios))
        for result in results
        for goal in result.task.goals
        if goal.ours in result.runs and goal.other in result.runs
        for ratios in [result.ratios(goal)]
    ]
    for result in results:
        for side, most in result.task.most.items():
            found = statistics.median(result.quantities(side))
            verdict = "reached" if found <= most else f"missed by {found / most - 1:.0%}"
            rows.append((result.task.name, side, "a limit", f"{found:.3f} s",
                         f"{most:.3f} s", verdict))  # fmt: skip
    return _table(("task", "side", "beside", "times as fast", "goal", ""), rows)


def _judge(least: float | None, ratios: Sequence[float]) -> tuple[str, str]:
    if least is None:
        return "", ""
    found = statistics.median(ratios)
    return f"{least:g}", "reached" if found >= least else f"missed by {1 - found / least:.0%}"


def _rate_table(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        number = result.task.num_items
        for side, runs in result.runs.items():
            rates = [number / run.seconds for run in runs]
            cpu = statistics.median(run.cpu_seconds for run in runs) / number * 1e3
            rows.append((
                result.task.name, side,
                f"{_spread(rates, ',.0f' if number > 1 else ',.1f')} {result.task.unit}/s",
                f"{cpu:.3g} ms", _peak(runs),
            ))  # fmt: skip
    return _table(("task", "side", "rate", "CPU each, start-up included", "peak memory"), rows)


def _quality_table(quality: dict[str, str]) -> str:
    rows = []
    for name, line in quality.items():
        number, least, mean = map(float, line.split())
        verdict = "reached" if least >= 40 else f"missed by {40 - least:.1f} dB"
        rows.append((name, f"{number:.0f}", f"{least:.1f} dB", f"{mean:.1f} dB", "40 dB", verdict))
    return _table(("photos", "number", "least PSNR", "mean PSNR", "goal of the least", ""), rows)


def _growth_table(growth: Sequence[Growth]) -> str:
    rows = []
    for each in growth:
        seconds, mib = each.at(MILLION)
        rows.append((
            each.command,
            f"{each.small.seconds:.2f} s, {each.small.peak_mib:.0f} MiB",
            f"{each.large.seconds:.2f} s, {each.large.peak_mib:.0f} MiB",
            f"{each.bytes_per_image:.0f}",
            f"{seconds:,.0f} s, {mib:,.0f} MiB",
        ))  # fmt: skip
    small, large = f"{growth[0].num_small:,} images", f"{growth[0].num_large:,} images"
    heads = ("command", small, large, "bytes an image", "a million, extrapolated")
    return _table(heads, rows)


def _installation() -> str:
    sizes = measure_installation()
    parts = ", ".join(f"{name} {size:.1f}" for name, size in sizes.items())
    total = sum(sizes.values())
    verdict = "reached" if total <= 110 else f"missed by {total / 110 - 1:.0%}"
    return f"{total:.0f} MB without bytecode ({parts}); at most 110: {verdict}."


def _spread(values: Sequence[float], form: str = ".2f") -> str:
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


def _peak(runs: Sequence[Measurement]) -> str:
    return f"{statistics.median(run.peak_mib for run in runs):.0f} MiB"


def describe_machine(options: argparse.Namespace) -> str:
    """Return what the figures depend on, as one paragraph."""
    names = (
        "tfrec-builder", "pillow", "numpy", "protobuf", "google-crc32c", "cykooz-resizer",
        "tensorflow-cpu", "opencv-python-headless", "tfrecord", "tfrecords",
    )  # fmt: skip
    versions = ", ".join(f"{name} {_version(name)}" for name in names if _version(name))
    return (
        f"{options.threads} threads, "
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
