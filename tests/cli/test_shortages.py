"""What the system has too little of is one sentence, and leaves nothing half-written."""

import errno
import os
import sys
from ast import literal_eval

import pytest

from tfrec.cli import commands
from tfrec.cli.shortages import describe_shortage
from tfrec.example import encode_example
from tfrec.operations import dump
from tfrec.wire import frame_record

MEMORY = "there is too little memory; "
FILES = "too many files are open; "
THREADS = "no more threads or processes can be started; "


def os_error(number, *path):
    return OSError(number, os.strerror(number), *path)


@pytest.mark.parametrize(
    ("error", "lack"),
    [
        (MemoryError(), MEMORY),
        (os_error(errno.ENOMEM), MEMORY),
        (ImportError("libx.so: failed to map segment from shared object"), MEMORY),
        (os_error(errno.EMFILE, "a.tfrecord"), FILES),
        (os_error(errno.ENFILE), FILES),
        (RuntimeError("can't start new thread"), THREADS),
        (os_error(errno.EAGAIN), THREADS),
    ],
)
def test_a_shortage_is_told_with_what_helps(error, lack):
    assert describe_shortage(error, has_workers=True).startswith(f"{lack}use fewer `--workers`, ")
    alone = describe_shortage(error, has_workers=False)
    assert alone.startswith(lack)
    assert "--workers" not in alone


@pytest.mark.parametrize(
    "error",
    [
        os_error(errno.ENOSPC, "out"),
        os_error(errno.EAGAIN, "out"),  # another tfrec is writing it
        RuntimeError("a bug"),
        ImportError("no module"),
        ValueError("can't start new thread"),
    ],
)
def test_any_other_error_is_none(error):
    assert describe_shortage(error, has_workers=True) is None


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command in this process; return its exit code and what it says of itself."""

    def run(*args):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["tfrec", *args])
        with pytest.raises(SystemExit) as ended:
            commands.run()
        return ended.value.code, capsys.readouterr().err

    return run


def test_a_dump_that_lacks_memory_is_one_sentence_and_leaves_nothing(run, monkeypatch, tmp_path):
    def lack(*_):
        raise MemoryError

    record = frame_record(encode_example({"label": 1, "img_raw": bytes(256 * 256 * 3)}))
    (tmp_path / "x.tfrecord").write_bytes(record)
    monkeypatch.setattr(dump.PictureMaker, "__call__", lack)

    code, err = run("dump", "x.tfrecord", "show")

    assert 1 == code
    assert err == (
        "error: there is too little memory; use fewer `--workers`, end other programs, or raise "
        "the limit that `ulimit -v` shows\n"
    )
    assert ["x.tfrecord"] == os.listdir(tmp_path)


def test_a_command_without_workers_is_not_told_to_use_fewer(run, monkeypatch):
    def lack(*_args, **_options):
        raise os_error(errno.EMFILE)

    monkeypatch.setattr("tfrec.operations.inspect.inspect", lack)

    code, err = run("inspect", "x.tfrecord")

    assert 1 == code
    assert err == (
        "error: too many files are open; raise the limit that `ulimit -n` shows, such as by "
        "`ulimit -n 4096`\n"
    )


def test_too_few_descriptors_for_the_workers_are_one_sentence(tfrec, pets, tmp_path):
    resource = pytest.importorskip("resource", reason="limits are of POSIX")
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))  # noqa: E731
    workers = ("--engine", "processes", "--workers", "8", "--num-shards", "3")

    done = tfrec("build", pets, "out", *workers, preexec_fn=limit)

    assert (1, "") == (done.code, done.out)
    assert done.err == (
        "error: too many files are open; use fewer `--workers`, or raise the limit that "
        "`ulimit -n` shows, such as by `ulimit -n 4096`\n"
    )
    assert ["pets"] == os.listdir(tmp_path)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux's list of threads")
def test_numpy_starts_no_threads_of_its_own(tfrec, pets, save):
    save(
        "counting.py", b"import os, numpy\nopen('n', 'w').write(str(os.listdir('/proc/self/task')))"
    )

    tfrec("build", pets, "out", "--schema", "counting:SCHEMA")

    assert 1 == len(literal_eval((tfrec.directory / "n").read_text()))
