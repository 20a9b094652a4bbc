import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def run(*options):
    """Return the rows of all tables that a tiny benchmark prints."""
    command = [sys.executable, BENCHMARKS / "run.py", "--images", "4", "--size", "60x40"]
    done = subprocess.run(
        [*command, "--rounds", "1", *options], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_a_build_is_measured_beside_a_pillow_loop(tmp_path):
    photos = tmp_path / "class"
    photos.mkdir()
    Image.new("RGB", (60, 40)).save(photos / "one.jpg")

    rows = run("--tasks", "build", "--sets", "--photos", tmp_path, "--growth", "2")

    task, side, beside, ratio, goal, verdict = rows[2]
    assert ("build", "tfrec", "bare Pillow loop") == (task.partition(":")[0], side, beside)
    assert float(ratio.split()[0]) > 0
    assert ("0.95", True) == (goal, verdict.startswith(("reached", "missed by")))
    assert {"build", "verify", "dump"} < {row[0] for row in rows}


def test_goals_for_photos_of_a_size_are_those_of_that_size():
    from tasks import Photos, build_task

    def goals_of(kind):
        goals = build_task(Photos(kind, kind, "photos", 10), 2).goals
        return {(goal.ours, goal.other): goal.least for goal in goals if goal.least is not None}

    exact = {("tfrec", "bare Pillow loop"): 0.95}
    fast_to_tutorial = {("tfrec --fast", "TensorFlow tutorial"): 5.0}
    at_web_size = {
        ("tfrec", "TensorFlow tutorial"): 1.8,
        ("tfrec --fast", "OpenCV"): 1.6,
        **fast_to_tutorial,
    }
    assert goals_of("small") == exact
    assert goals_of("ImageNet-like") == exact
    assert goals_of("web") == exact | at_web_size
    assert goals_of("your own") == exact | at_web_size
    assert goals_of("camera") == exact | {("tfrec --fast", "OpenCV"): 3.0} | fast_to_tutorial


def test_large_photos_are_built_several_times_each(tmp_path):
    from inputs import repeat_photos
    from tasks import Photos

    (tmp_path / "photos" / "cat").mkdir(parents=True)
    photo = tmp_path / "photos" / "cat" / "1.jpg"
    photo.write_bytes(b"pixels")

    repeated = repeat_photos(Photos("web", "web, 8x6", str(tmp_path / "photos"), 1), 3, tmp_path)

    paths = sorted(Path(repeated.directory).glob("*/*"))
    assert ["0-1.jpg", "1-1.jpg", "2-1.jpg"] == [path.name for path in paths]
    assert (repeated.name, repeated.num_images) == ("web, 8x6", 3)
    assert all(path.samefile(photo) for path in paths)


@pytest.mark.interop
def test_each_task_is_measured_beside_tensorflow():
    rows = run("--sets", "ImageNet-like", "--growth", "0")

    with_tensorflow = {row[0] for row in rows if "tensor" in row[1].lower() or "tf.data" in row[1]}
    assert {"build: ImageNet-like, 60x40", "dump", "start", "verify"} < with_tensorflow


def test_a_program_that_times_itself_is_believed():
    from measure import measure

    measured = measure([sys.executable, "-c", "print('some output'); print('seconds 12.5')"])

    assert measured.seconds == 12.5


def test_memory_is_that_of_the_program_alone():
    from measure import measure

    small, large = (
        measure([sys.executable, "-c", f"x = b'1' * ({size} << 20)"]) for size in (600, 700)
    )

    assert 95 < large.peak_mib - small.peak_mib < 105
    assert 0 < small.cpu_seconds < small.seconds + 0.5


def test_a_program_that_fails_is_told_with_its_output():
    from measure import measure

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        measure([sys.executable, "-c", "1 / 0"])


def test_a_ratio_is_that_of_one_round():
    from measure import Measurement
    from report import Result
    from tasks import Goal, Task

    goal = Goal("ours", "a loop", 0.95)
    ours, other = ([Measurement(n, 0, 50) for n in times] for times in ((1, 2, 4), (3, 2, 2)))
    result = Result(Task("build", "images", 10, [], [goal]), {"ours": ours, "a loop": other})

    assert [3.0, 1.0, 0.5] == result.ratios(goal)


def test_a_goal_that_is_missed_says_by_how_much():
    from report import _judge

    assert ("0.8", "missed by 50%") == _judge(0.8, [0.3, 0.4, 0.5])
    assert ("0.4", "reached") == _judge(0.4, [0.3, 0.4, 0.5])


def test_growth_is_a_line_through_two_measurements():
    from growth import Growth
    from measure import Measurement

    growth = Growth("build", Measurement(1.0, 1, 50), Measurement(11.0, 11, 51), 1000, 11_000)

    assert 2**20 / 10_000 == growth.bytes_per_image
    assert (21.0, 52.0) == growth.at(21_000)


def test_psnr_of_one_level_everywhere_is_that_of_the_textbook():
    from quality import psnr

    # 10 log10(255^2 / 1)
    assert 48.13 == round(psnr(bytes([10, 20, 30]), bytes([11, 19, 31])), 2)


def test_results_take_the_place_of_former_ones(tmp_path):
    from report import replace_results

    page = tmp_path / "README.md"
    page.write_text("# Above\n<!-- results -->\n<!-- end of results -->\nbelow\n")

    for text in ("former\n", "new\n"):
        replace_results(page, text)

    assert page.read_text() == (
        "# Above\n<!-- results -->\n\nnew\n\n<!-- end of results -->\nbelow\n"
    )
