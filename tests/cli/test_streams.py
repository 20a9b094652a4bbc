"""Standard streams that are closed, full or gone, and names that would break a line."""

import errno
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names and streams are of POSIX")

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.fixture
def in_shell(tmp_path):
    """Run a line of a shell in which `tfrec` is the command."""

    def in_shell(line):
        script = f'tfrec() {{ "{sys.executable}" -m tfrec "$@"; }}; {line}'
        return subprocess.run(
            ["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return in_shell


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_ends_no_build(in_shell, pets, records, closed):
    done = in_shell(f"tfrec build {pets} out.tfrecord {closed}")

    assert 0 == done.returncode
    assert [0, 0, 1] == [label for label, _ in records("out.tfrecord")]


@FULL
def test_words_that_cannot_be_written_end_no_build(in_shell, pets):
    done = in_shell(f"tfrec build {pets} out.tfrecord 2>/dev/full")

    assert 0 == done.returncode
    assert "out.tfrecord: 3 records" in done.stdout


@FULL
@pytest.mark.parametrize("command", ["inspect out.tfrecord", "cat out.tfrecord --json"])
def test_a_result_that_cannot_be_written_is_a_failure(in_shell, pets, command):
    in_shell(f"tfrec build {pets} out.tfrecord")

    done = in_shell(f"tfrec {command} >/dev/full")

    assert 1 == done.returncode
    assert f"error: standard output: {os.strerror(errno.ENOSPC)}\n" == done.stderr


def test_a_name_with_a_line_end_is_on_one_line(tfrec, pets, save):
    save("pets/c\nat/a\nb.png", b"\x89PNG\r\n\x1a\n")

    done = tfrec("build", pets, "out.tfrecord", "--on-error", "skip")

    assert 3 == done.code
    assert [line for line in done.err.splitlines() if line.startswith("skipped: c\\x0aat/a\\x0ab")]
    assert [line for line in done.out.splitlines() if line.split()[1:] == ["c\\x0aat", "0"]]
