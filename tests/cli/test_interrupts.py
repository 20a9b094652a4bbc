"""Builds that are killed, interrupted or started twice."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")

ROOT = Path(__file__).parents[2]
NUM_IMAGES = 200


def save_photos(save, num_images):
    """Make large images, linked to one file: as many to decode, as quickly made."""
    first = save("photos/cat/000.jpg", Image.effect_noise((1500, 1200), 80), quality=90)
    for number in range(1, num_images):
        os.link(first, first.with_name(f"{number:03d}.jpg"))
    return "photos"


@pytest.fixture
def photos(save):
    return save_photos(save, NUM_IMAGES)


@pytest.fixture
def many_photos(save):
    """Enough for a build that goes on for seconds."""
    return save_photos(save, 1000)


def wait_for(directory, suffix):
    """Wait until a file of that suffix, with something in it, stands in the directory."""
    while True:
        with os.scandir(directory) as entries:
            if any(entry.name.endswith(suffix) and entry.stat().st_size for entry in entries):
                return


def visible(directory):
    return {name for name in os.listdir(directory) if not name.startswith(".")}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing(tfrec, many_photos, tmp_path, number):
    with tfrec.start("build", many_photos, "out.tfrecords") as process:
        wait_for(tmp_path, ".tfrec-tmp")
        process.send_signal(number)
        out, err = process.communicate(timeout=30)

    assert {signal.SIGINT: 130, signal.SIGTERM: 143}[number] == process.returncode, err
    assert (b"", {signal.SIGINT: b"interrupted\n", signal.SIGTERM: b""}[number]) == (out, err)
    assert ["photos"] == os.listdir(tmp_path)


START = "from tfrec.cli.main import main; main()"


def run_customized(directory, *arguments):
    """Run Python to its end with the `sitecustomize.py` of a directory."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(directory), str(ROOT)])},
        capture_output=True,
        check=False,
    )


BROKEN_BY_A_SIGNAL = """
import signal, sys

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "tfrec.operations.verify":
            try:
                signal.raise_signal(signal.SIGTERM)
            except BaseException:
                raise {error} from None

sys.meta_path.insert(0, Broken())
"""


@pytest.mark.parametrize("error", ["OSError('broken')", "MemoryError", "RuntimeError('released')"])
def test_an_error_that_an_interrupt_causes_is_the_interrupt(save, tmp_path, error):
    save("sitecustomize.py", BROKEN_BY_A_SIGNAL.format(error=error).encode())

    done = run_customized(tmp_path, "-c", START, "verify", "x.tfrecord")

    assert (143, b"", b"") == (done.returncode, done.stdout, done.stderr)


AT_AN_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize(
    "module",
    ["tfrec.cli.interrupts", "click", "tfrec.cli.commands", "tfrec.cli.verify",
     "tfrec.operations.verify"],
)  # fmt: skip
def test_a_ctrl_c_before_the_command_starts_is_one_line(save, tmp_path, module):
    save("sitecustomize.py", AT_AN_IMPORT.format(module=module).encode())

    done = run_customized(tmp_path, "-c", START, "verify", "none.tfrecord")

    assert (130, b"", b"interrupted\n") == (done.returncode, done.stdout, done.stderr)


def test_a_ctrl_c_while_the_version_is_found_is_one_line(save, tmp_path):
    save("sitecustomize.py", AT_AN_IMPORT.format(module="tfrec.images.versions").encode())

    done = run_customized(tmp_path, "-m", "tfrec", "--version")

    assert (130, b"", b"interrupted\n") == (done.returncode, done.stdout, done.stderr)


LOST_IN_A_DESTRUCTOR = """
import signal, sys
from tfrec.cli import interrupts
from tfrec.cli.progress import progress_bar

class Object:
    def __del__(self):
        signal.raise_signal(signal.{name})

def work():
    Object()
    sys.stdout.write("dropped, ")
    try:
        with progress_bar(None, "images") as advance:
            advance(1)
    finally:
        sys.stdout.write("raised again")

interrupts.run_interruptible(work)
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupt_that_python_drops_is_raised_again(name, code):
    program = LOST_IN_A_DESTRUCTOR.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (code, "dropped, raised again") == (done.returncode, done.stdout)


BROKEN_HALF_WAY = """
import signal, threading
from tfrec.cli import interrupts

def work():
    lock = threading.Lock()
    try:
        signal.raise_signal(signal.{name})
    finally:
        lock.release()

interrupts.run_interruptible(work)
"""


@pytest.mark.parametrize(
    ("name", "code", "said"), [("SIGINT", 130, "interrupted\n"), ("SIGTERM", 143, "")]
)
def test_what_an_interrupt_breaks_is_no_traceback(name, code, said):
    program = BROKEN_HALF_WAY.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (code, "", said) == (done.returncode, done.stdout, done.stderr)


def test_a_killed_build_leaves_nothing_at_the_target(tfrec, many_photos, tmp_path):
    with tfrec.start("build", many_photos, "out.tfrecords") as process:
        wait_for(tmp_path, ".tfrec-tmp")
        process.kill()

    assert {"photos"} == visible(tmp_path)


def test_the_next_build_removes_what_a_killed_one_left(tfrec, photos, tmp_path):
    with tfrec.start("build", photos, "out.tfrecords") as process:
        wait_for(tmp_path, ".tfrec-tmp")
        process.kill()

    done = tfrec("build", photos, "out.tfrecords")

    assert 0 == done.code
    assert {"photos", "out.tfrecords", "out.tfrecords.json"} == set(os.listdir(tmp_path))
    assert NUM_IMAGES * 196_669 == (tmp_path / "out.tfrecords").stat().st_size


def test_a_second_build_of_a_target_is_refused(tfrec, photos, pets, tmp_path):
    with tfrec.start("build", photos, "out.tfrecords") as process:
        wait_for(tmp_path, ".tfrec-tmp")
        second = tfrec("build", pets, "out.tfrecords")
        process.communicate(timeout=60)

    assert (1, "error: out.tfrecords: another tfrec is writing it\n") == (second.code, second.err)
    assert 0 == process.returncode
    manifest = json.loads((tmp_path / "out.tfrecords.json").read_text())
    (shard,) = manifest["splits"]["train"]["shards"]
    assert (NUM_IMAGES, NUM_IMAGES * 196_669) == (shard["num_records"], shard["num_bytes"])


@pytest.mark.stress
def test_killed_at_any_moment_nothing_stands_at_the_target(tfrec, photos, tmp_path):
    target = tmp_path / "out.tfrecords"
    for moment in range(60):
        with tfrec.start("build", photos, "out.tfrecords") as process:
            try:
                process.wait(moment * 0.02)
            except Exception:
                process.kill()
        if target.exists():
            assert NUM_IMAGES * 196_669 == target.stat().st_size
            target.unlink()

    assert 0 == tfrec("build", photos, "out.tfrecords").code
    assert {"photos", "out.tfrecords", "out.tfrecords.json"} == set(os.listdir(tmp_path))
