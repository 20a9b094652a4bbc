import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def run(*options):
    """Return the rows of the table that a tiny benchmark prints."""
    command = [sys.executable, BENCHMARKS / "run.py", "--images", "4", "--size", "60x40"]
    done = subprocess.run(
        [*command, "--rounds", "1", *options], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_a_build_is_measured_beside_a_pillow_loop():
    task, ours, other_name, other, ratio = run("--tasks", "build")[0]

    assert (task, other_name) == ("build", "a bare Pillow loop in 2 threads, writing nothing")
    for time in (ours, other):
        assert float(time.split()[0]) > 0
        assert time.endswith("MiB")
    assert float(ratio.split()[0]) > 0


@pytest.mark.interop
def test_each_task_is_measured_beside_tensorflow():
    assert ["build", "build", "dump", "read", "start"] == [row[0] for row in run()]


def test_a_program_that_times_itself_is_believed():
    from measure import measure

    measured = measure([sys.executable, "-c", "print('some output'); print('seconds 12.5')"])

    assert measured.seconds == 12.5


def test_memory_is_that_of_the_program_alone():
    from measure import measure

    small, large = (
        measure([sys.executable, "-c", f"x = b'1' * ({size} << 20)"]) for size in (200, 300)
    )

    assert 95 < large.peak_mib - small.peak_mib < 105
    assert 0 < small.cpu_seconds < small.seconds + 0.5


def test_a_program_that_fails_is_told_with_its_output():
    from measure import measure

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        measure([sys.executable, "-c", "1 / 0"])


def test_a_ratio_is_that_of_neighbouring_runs():
    from comparisons import Comparison
    from measure import Measurement
    from report import Result, to_table

    ours, other = ([Measurement(n, 0, 50) for n in times] for times in ((1, 2, 4), (3, 2, 2)))
    table = to_table([Result(Comparison("build", [], "a loop", []), ours, other)])

    assert table.splitlines()[2] == (
        "| build | 2.00 s (1.00 to 4.00), 50 MiB | a loop | 2.00 s (2.00 to 3.00), 50 MiB "
        "| 1.00 (0.50 to 3.00) |"
    )


def test_results_take_the_place_of_former_ones(tmp_path):
    from report import replace_results

    page = tmp_path / "README.md"
    page.write_text("# Above\n<!-- results -->\n<!-- end of results -->\nbelow\n")

    for text in ("former\n", "new\n"):
        replace_results(page, text)

    assert page.read_text() == (
        "# Above\n<!-- results -->\n\nnew\n\n<!-- end of results -->\nbelow\n"
    )
