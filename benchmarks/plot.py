"""The rates of all builds as bars, one panel a set of photos."""

import statistics
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from report import Result

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "tfrec"  # the same picture for the same results

_OURS, _OTHERS = "#1f77b4", "#b0b0b0"


def draw_results(results: Sequence[Result], path: Path) -> None:
    """Write an SVG of the tasks whose names begin with `build`."""
    import matplotlib.pyplot as plt

    builds = [result for result in results if result.task.name.startswith("build")]
    if not builds:
        return
    figure, panels = plt.subplots(
        1, len(builds), figsize=(4.2 * len(builds), 3.6), squeeze=False, layout="constrained"
    )
    for panel, result in zip(panels[0], builds, strict=True):
        rates = {
            side: result.task.num_items / statistics.median(run.seconds for run in runs)
            for side, runs in result.runs.items()
        }
        names = sorted(rates, key=rates.__getitem__)
        colours = [_OURS if name.startswith("tfrec") else _OTHERS for name in names]
        bars = panel.barh(names, [rates[name] for name in names], color=colours)
        panel.bar_label(bars, fmt="{:,.0f}", padding=2, fontsize=8)
        panel.set_title(f"{result.task.name}, images/s", fontsize=9)
        panel.tick_params(labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.margins(x=0.15)
    figure.savefig(path, metadata={"Date": None})
