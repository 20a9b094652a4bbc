"""`tfrec build` into directories: options, the same bytes everywhere, and interrupted builds."""

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

resource = pytest.importorskip("resource", reason="signals and limits are of POSIX")


def living_processes(group):
    """The processes of a group; those that have ended and wait for their parent's look don't count.

    The output of the group is read to its end before, so each has closed its files.
    """
    if sys.platform != "linux":
        return []
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as stat:
            state, _, process_group = stat.read().rpartition(")")[2].split()[:3]
            if int(process_group) == group and state not in "ZX":
                found.append(name)
    return found


def names_finished_file(journal):
    return journal.exists() and any(
        line.startswith(b'{"name":') and line.endswith(b"\n")
        for line in journal.read_bytes().splitlines(keepends=True)
    )


LAYOUT = ("--num-shards", "4", "--split", "train=0.75,test=0.25", "--shuffle", "--index")


def tree(path):
    """The files of a directory, hidden ones too."""
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.fixture
def noise(tmp_path):
    """Save images of noise, of differing sizes; return the name of their directory."""

    def noise(name="noise", *, number=24, size=(40, 30), reverse=False):
        source = np.random.default_rng(3)
        images = [
            (f"{'abc'[index % 3]}/{index:03}.png", source.bytes((size[0] + index) * size[1] * 3))
            for index in range(number)
        ]
        for index, (path, pixels) in sorted(enumerate(images), reverse=reverse):
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            Image.frombytes("RGB", (size[0] + index, size[1]), pixels).save(
                target, compress_level=0
            )
        return name

    return noise


class TestSizes:
    @pytest.mark.parametrize("quality", [60, 95])
    def test_encoded_images_take_little_more_than_their_bytes(self, tfrec, save, tmp_path, quality):
        total = 0
        for number in range(20):
            image = Image.effect_noise((300, 200), 60).convert("RGB")
            save(f"photos/a/{number}.jpg", image, quality=95)
            with Image.open(tmp_path / f"photos/a/{number}.jpg") as stored:
                again = save("again.jpg", stored.resize((256, 256)), quality=quality)
            total += again.stat().st_size

        options = ("--schema", "imagenet", "--quality", str(quality))
        done = tfrec("build", "photos", "out.tfrecord", *options)

        size = (tmp_path / "out.tfrecord").stat().st_size
        assert total < size < 1.1 * total
        assert f"{size / 1024:.1f} KiB" in done.out or f"{size / 1024 / 1024:.1f} MiB" in done.out


class TestCounts:
    def test_an_imbalance_shows_in_both_commands(self, tfrec, save):
        for number in range(90):
            save(f"pets/cat/{number}.png", (number, 0, 0))
        for number in range(10):
            save(f"pets/dog/{number}.png", (0, number, 0))

        built = tfrec("build", "pets", "out", "--num-shards", "3")
        inspected = tfrec("inspect", "out")

        assert [["0", "cat", "90"], ["1", "dog", "10"]] == counts_in(built.out)
        assert [["0", "cat", "90"], ["1", "dog", "10"]] == counts_in(inspected.out)


def counts_in(text):
    """The rows of label, class and number."""
    rows = [line.split()[:3] for line in text.splitlines()]
    return [row for row in rows if row[:1] in (["0"], ["1"])]


class TestSameBytes:
    @pytest.fixture
    def expected(self, tfrec, noise, tmp_path):
        assert 0 == tfrec("build", noise(), "expected", *LAYOUT, "--workers", "1").code
        return tree(tmp_path / "expected")

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    @pytest.mark.parametrize("workers", ["2", "8"])
    def test_any_engine_and_number_of_workers(self, tfrec, expected, tmp_path, engine, workers):
        done = tfrec("build", "noise", "out", *LAYOUT, "--engine", engine, "--workers", workers)

        assert 0 == done.code
        assert expected == tree(tmp_path / "out")

    def test_another_order_of_the_listing(self, tfrec, noise, expected, tmp_path):
        noise("reversed", reverse=True)

        tfrec("build", "reversed", "out", *LAYOUT)

        assert expected == tree(tmp_path / "out")

    def test_another_directory_zone_and_locale(self, tfrec, expected, tmp_path):
        (tmp_path / "elsewhere").mkdir()
        elsewhere = type(tfrec)(tmp_path / "elsewhere")
        environment = os.environ | {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"}

        done = elsewhere("build", tmp_path / "noise", tmp_path / "out", *LAYOUT, env=environment)

        assert 0 == done.code
        assert expected == tree(tmp_path / "out")

    def test_other_times_of_the_files(self, tfrec, expected, tmp_path):
        for directory, _, names in os.walk(tmp_path / "noise"):
            for name in names:
                os.utime(os.path.join(directory, name), (0, 0))

        assert 0 == tfrec("build", "noise", "expected", *LAYOUT, "--check").code


class TestCheck:
    def test_an_untouched_dataset_exits_with_0(self, tfrec, noise):
        tfrec("build", noise(), "out", *LAYOUT)

        done = tfrec("build", "noise", "out", *LAYOUT, "--check")

        assert (0, "out: up to date\n") == (done.code, done.out)

    def test_a_changed_image_exits_with_1_and_the_reason(self, tfrec, noise, save):
        tfrec("build", noise(), "out", "--num-shards", "4")
        save("noise/a/000.png", (1, 2, 3))

        done = tfrec("build", "noise", "out", "--num-shards", "4", "--check")

        assert 1 == done.code
        assert (
            "train-00000-of-00004.tfrecord: its images or the settings have changed\n" == done.out
        )

    def test_a_read_only_dataset_is_checked(self, tfrec, noise, tmp_path):
        tfrec("build", noise(), "out", *LAYOUT)
        before = tree(tmp_path / "out")
        (tmp_path / "out").chmod(0o555)

        assert 0 == tfrec("build", "noise", "out", *LAYOUT, "--check").code
        assert before == tree(tmp_path / "out")


class TestReport:
    def test_it_has_counts_bytes_rates_settings_and_versions(self, tfrec, noise, save, tmp_path):
        save("noise/a/broken.png", b"")
        noise()

        tfrec("build", "noise", "out", *LAYOUT, "--on-error", "skip", "--report", "report.json")

        report = json.loads((tmp_path / "report.json").read_text())
        assert (24, 24) == (report["num_records"], report["written"]["num_records"])
        assert {"train": 18, "test": 6} == {
            name: split["num_records"] for name, split in report["splits"].items()
        }
        assert {"a": 6, "b": 6, "c": 6} == report["splits"]["train"]["images_per_class"]
        assert ["a/broken.png"] == [image["path"] for image in report["skipped"]]
        files = [path for path in (tmp_path / "out").iterdir() if path.suffix == ".tfrecord"]
        assert sum(path.stat().st_size for path in files) == report["num_bytes"]
        assert report["seconds"] > 0
        assert report["records_per_second"] > 0
        assert "raw" == report["settings"]["schema"]
        assert {"tfrec", "pillow", "libjpeg"} == set(report["versions"])

    def test_a_build_that_writes_nothing_says_so(self, tfrec, noise, tmp_path):
        tfrec("build", noise(), "out", *LAYOUT)

        tfrec("build", "noise", "out", *LAYOUT, "--report", "report.json")

        report = json.loads((tmp_path / "report.json").read_text())
        assert {"shards": [], "num_records": 0, "num_bytes": 0} == report["written"]

    def test_other_settings_than_those_of_the_dataset_are_told_once(self, tfrec, noise):
        tfrec("build", noise(), "out", "--shuffle")

        done = tfrec("build", "noise", "out", "--shuffle", "--size", "8x9")

        assert (
            "note: out was built otherwise, and a build brings it up to date: "
            "the setting `image.size` is [8, 9] and was [256, 256]\n"
        ) == done.err

    def test_the_summary_says_what_was_kept(self, tfrec, noise, save):
        tfrec("build", noise(), "out", "--num-shards", "4")
        save("noise/a/000.png", (1, 2, 3))

        done = tfrec("build", "noise", "out", "--num-shards", "4")

        assert "  1 file written, 3 kept as they were\n" in done.out


class TestOptions:
    def test_folders_are_splits(self, tfrec, save, tmp_path):
        for split in ("train", "test"):
            save(f"pets/{split}/cat/a.png", (1, 2, len(split)))
        save("pets/train/dog/b.png", (1, 2, 9))

        done = tfrec("build", "pets", "out", "--split-from-dirs", "--schema", "imagenet")

        assert 0 == done.code
        manifest = json.loads((tmp_path / "out/dataset.json").read_text())
        assert {"offset": 1, "names": ["cat", "dog"]} == manifest["labels"]
        assert {"cat": 1, "dog": 0} == manifest["splits"]["test"]["images_per_class"]

    def test_the_same_file_in_two_splits_is_named(self, tfrec, save):
        for split in ("train", "test"):
            save(f"pets/{split}/cat/a.png", (1, 2, 3))

        done = tfrec("build", "pets", "out", "--split-from-dirs")

        assert (
            "note: train/cat/a.png in the split train is the same file as test/cat/a.png in test\n"
            in done.err
        )

    def test_slim_numbers_its_labels(self, tfrec, pets, tmp_path):
        tfrec("build", pets, "out", "--schema", "slim")

        assert "0:cat\n1:dog\n" == (tmp_path / "out/labels.txt").read_text()

    def test_imagenet_has_a_label_map(self, tfrec, pets, tmp_path):
        tfrec("build", pets, "out", "--schema", "imagenet")

        assert ("item {\n  id: 1\n  name: 'cat'\n}\nitem {\n  id: 2\n  name: 'dog'\n}\n") == (
            tmp_path / "out/label_map.pbtxt"
        ).read_text()

    def test_a_name_that_ends_in_gz_is_compressed(self, tfrec, pets, tmp_path):
        done = tfrec("build", pets, "out.tfrecord.gz")

        assert 0 == done.code
        assert "note: TFDS and DALI can't read gzip files" in done.err
        # No time, no name, system 3 (RFC 1952).
        assert b"\x1f\x8b\x08\0\0\0\0\0\0\x03" == (tmp_path / "out.tfrecord.gz").read_bytes()[:10]

    def test_a_name_that_ends_in_zz_is_compressed_by_zlib(self, tfrec, pets, tmp_path):
        assert 0 == tfrec("build", pets, "out.tfrecord.zz").code

        records = zlib.decompress((tmp_path / "out.tfrecord.zz").read_bytes())
        assert 3 * (16 + 29 + 3 * 256 * 256 + 16) == len(records)  # frame, keys, pixels, label

    def test_a_name_that_contradicts_the_compression_is_refused(self, tfrec, pets):
        assert 2 == tfrec("build", pets, "out.tfrecord.gz", "--compression", "none").code

    @pytest.mark.parametrize(("size", "num_shards"), [("400KB", 2), ("0.2 MiB", 3), ("1GiB", 1)])
    def test_a_shard_size_has_a_unit(self, tfrec, pets, tmp_path, size, num_shards):
        tfrec("build", pets, "out", "--shard-size", size)

        assert num_shards == len(list((tmp_path / "out").glob("*.tfrecord")))

    def test_a_size_without_sense_is_refused(self, tfrec, pets):
        done = tfrec("build", pets, "out", "--shard-size", "12 parsec")

        assert 2 == done.code
        assert "give one such as 256MiB" in done.err

    def test_a_dry_run_says_what_would_be_written_and_writes_nothing(self, tfrec, pets, tmp_path):
        done = tfrec("build", pets, "out", "--num-shards", "2", "--dry-run")

        assert 0 == done.code
        assert done.out.startswith("out: would have 3 records in 2 files, about 576.")
        assert not (tmp_path / "out").exists()

    def test_an_own_schema_stands_in_the_working_directory(self, tfrec, pets, tmp_path):
        (tmp_path / "own.py").write_text(
            "from tfrec.schema import Schema\n\n"
            "class Own(Schema):\n"
            "    name = 'own'\n"
            "    encodings = ('png',)\n"
            "    features = {'x': 'image', 'y': 'label'}\n\n"
            "    def encode(self, sample):\n"
            "        return {'x': sample.image, 'y': sample.label}\n"
        )
        command = ("build", pets, "out", "--schema", "own:Own", "--engine", "processes")

        assert 0 == tfrec(*command).code
        assert 0 == tfrec(*command, "--check").code
        (tmp_path / "own.py").write_text((tmp_path / "own.py").read_text() + "# changed\n")
        assert 1 == tfrec(*command, "--check").code


class TestKilled:
    COMMAND = ("build", "noise", "out", "--num-shards", "32")

    @pytest.fixture
    def expected(self, tfrec, noise, tmp_path):
        noise(number=96, size=(600, 400))
        start = time.monotonic()
        assert 0 == tfrec("build", "noise", "expected", "--num-shards", "32").code
        self.seconds = time.monotonic() - start
        return tree(tmp_path / "expected")

    def kill_and_rebuild(self, tfrec, tmp_path, expected, options=()):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        with tfrec.start(*self.COMMAND, *options) as process:
            try:
                process.wait(random.uniform(0.1, self.seconds))
            except subprocess.TimeoutExpired:
                process.kill()
        finished = set()
        if (tmp_path / "out/.tfrec-journal").exists():
            lines = (tmp_path / "out/.tfrec-journal").read_bytes().splitlines()
            finished = {json.loads(line)["name"] for line in lines if line.startswith(b'{"name"')}

        done = tfrec(*self.COMMAND, *options, "--report", "report.json")

        assert 0 == done.code
        assert expected == tree(tmp_path / "out")
        report = json.loads((tmp_path / "report.json").read_text())
        assert not finished & set(report["written"]["shards"])
        assert {"noise", "expected", "out", "report.json"} == set(os.listdir(tmp_path))

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_the_same_command_goes_on(self, tfrec, expected, tmp_path, engine):
        for _ in range(2):
            self.kill_and_rebuild(tfrec, tmp_path, expected, ("--engine", engine))

    @pytest.mark.stress
    @pytest.mark.timeout(1200)
    def test_the_same_command_goes_on_50_times(self, tfrec, expected, tmp_path):
        for _ in range(50):
            self.kill_and_rebuild(tfrec, tmp_path, expected)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_ctrl_c_leaves_no_child(self, tfrec, expected, tmp_path, number):
        """The whole group gets the signal, as from a terminal; the finished shards stay."""
        command = [*self.COMMAND, "--engine", "processes", "--workers", "2"]
        with tfrec.start(*command, start_new_session=True) as process:
            while not names_finished_file(tmp_path / "out/.tfrec-journal"):
                assert process.poll() is None
            if number == signal.SIGINT:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            _, err = process.communicate(timeout=10)

        assert {signal.SIGINT: 130, signal.SIGTERM: 143}[number] == process.returncode
        said = b"interrupted; the same command goes on from the files that are finished\n"
        assert {signal.SIGINT: said, signal.SIGTERM: b""}[number] == err
        deadline = time.monotonic() + 5
        while living_processes(process.pid):
            assert time.monotonic() < deadline
        assert [] == list(tmp_path.glob("out/.*-tmp"))
        assert 0 == tfrec(*command).code
        assert expected == tree(tmp_path / "out")

    def test_workers_end_with_a_killed_parent(self, tfrec, expected, tmp_path):
        command = [*self.COMMAND, "--engine", "processes", "--workers", "2"]
        with tfrec.start(*command, start_new_session=True) as process:
            while not (tmp_path / "out/.train-00001-of-00032.tfrecord.tfrec-new").exists():
                assert process.poll() is None
            process.kill()
            process.communicate(timeout=10)  # ends when the last writer to the pipes has

        assert 0 == tfrec(*command).code
        assert expected == tree(tmp_path / "out")


class TestTrouble:
    def test_a_full_disk_leaves_what_was_there(self, tfrec, noise, tmp_path):
        """A limit on the files' size stands for a full disk: the write fails half-way."""
        tfrec("build", noise(), "out", "--num-shards", "2")
        before = tree(tmp_path / "out")

        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # noqa: E731
        done = tfrec("build", "noise", "out", "--num-shards", "1", preexec_fn=limit)

        assert 1 == done.code
        assert f"error: out/train-00000-of-00001.tfrecord: {os.strerror(errno.EFBIG)}\n" in done.err
        assert before == tree(tmp_path / "out")
        assert 0 == tfrec("build", "noise", "out", "--num-shards", "2").code
        assert before == tree(tmp_path / "out")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_read_only_target_is_one_sentence(self, tfrec, noise, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out").chmod(0o555)

        done = tfrec("build", noise(), "out")

        assert 1 == done.code
        assert [f"error: out/.tfrec-journal: {os.strerror(errno.EACCES)}"] == [
            line for line in done.err.splitlines() if line.startswith("error")
        ]

    def test_two_builds_at_once_give_one_of_them(self, tfrec, noise, tmp_path):
        expected = []
        for name, number in (("one", 24), ("two", 30)):
            tfrec("build", noise(name, number=number), f"{name}-out", "--num-shards", "8")
            expected.append(tree(tmp_path / f"{name}-out"))

        with (
            tfrec.start("build", "one", "out", "--num-shards", "8") as first,
            tfrec.start("build", "two", "out", "--num-shards", "8") as second,
        ):
            outputs = [process.communicate() for process in (first, second)]

        codes = {first.returncode, second.returncode}
        assert codes <= {0, 1}
        assert 0 in codes
        assert not any(b"Traceback" in err for _, err in outputs)
        assert tree(tmp_path / "out") in expected
        assert 0 == tfrec("verify", "out").code

    def test_a_dead_worker_is_one_sentence(self, tfrec, noise, tmp_path):
        """The schema kills its process, as the system does when memory is short."""
        (tmp_path / "deadly.py").write_text(
            "import os\n"
            "from tfrec.schema import Schema\n\n"
            "class Deadly(Schema):\n"
            "    name = 'deadly'\n"
            "    encodings = ('png',)\n"
            "    features = {'x': 'image'}\n\n"
            "    def encode(self, sample):\n"
            "        os.kill(os.getpid(), 9)\n"
        )

        done = tfrec("build", noise(), "out", "--schema", "deadly:Deadly", "--engine", "processes")

        assert 1 == done.code
        assert "error: a worker has died, perhaps for lack of memory" in done.err
        assert "Traceback" not in done.err


class TestElsewhere:
    @pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no other file system at hand")
    def test_the_target_may_be_on_another_file_system(self, tfrec, noise, tmp_path):
        tfrec("build", noise(), "out", *LAYOUT)
        with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
            assert 0 == tfrec("build", "noise", f"{directory}/out", *LAYOUT).code

            assert tree(tmp_path / "out") == tree(Path(directory, "out"))
            assert ["out"] == os.listdir(directory)


class TestDiff:
    def test_equal_datasets_exit_with_0(self, tfrec, noise):
        tfrec("build", noise(), "a")
        tfrec("build", "noise", "b")

        done = tfrec("diff", "a", "b")

        assert (0, "24 records the same\n") == (done.code, done.out)

    def test_differences_are_lines_and_exit_with_1(self, tfrec, noise, tmp_path):
        tfrec("build", noise(), "a", "--schema", "tfds")
        os.unlink(tmp_path / "noise/b/001.png")
        tfrec("build", "noise", "b", "--schema", "tfds")

        done = tfrec("diff", "a", "b")

        assert (
            1,
            "only in A: b/001.png (train, b)\n23 records the same; differences: 1 only in A\n",
            "",
        ) == (
            done.code,
            done.out,
            done.err,
        )

    def test_a_record_without_a_name_is_shown_by_the_command_that_is_told(
        self, tfrec, pets, tmp_path
    ):
        tfrec("build", pets, "a.tfrecord")
        os.unlink(tmp_path / pets / "cat" / "b.png")
        tfrec("build", pets, "b.tfrecord")

        done = tfrec("diff", "a.tfrecord", "b.tfrecord")
        tfrec("dump", "a.tfrecord", "OUT", "--index", "1", "--format", "png")

        assert "only in A: a.tfrecord record 1 (train, cat)\n" in done.out
        assert (
            "note: where records store no file name, their place is told; "
            "`tfrec dump a.tfrecord OUT --index 1` shows the first\n"
        ) == done.err
        (shown,) = (tmp_path / "OUT" / "cat").iterdir()
        with Image.open(shown) as image:
            assert (40, 50, 60) == image.getpixel((0, 0))

    def test_json_has_the_same_facts(self, tfrec, noise, tmp_path):
        tfrec("build", noise(), "a")
        tfrec("build", "noise", "b", "--seed", "5")

        done = tfrec("diff", "a", "b", "--json")

        assert {
            "settings": ["setting `seed`: 0 in A, 5 in B"],
            "num_same": 24,
            "differences": [],
        } == json.loads(done.out)


def test_many_images_in_two_splits_are_counted(tfrec, save, tmp_path):
    for number in range(23):
        save(f"photos/a/{number:02}.png", (1, 2, 3))

    done = tfrec("build", "photos", "out", "--split", "x=1,y=rest", "--report", "r.json")

    named = [line for line in done.err.splitlines() if "is the same file as" in line]
    assert (0, 10) == (done.code, len(named))
    assert done.err.endswith("note: and so are 12 more files; `--report FILE` names all\n")
    assert 22 == len(json.loads((tmp_path / "r.json").read_text())["duplicates"])
