"""Progress bars: on a terminal, with how many there are; silence elsewhere."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty", reason="needs a terminal of POSIX")
termios = pytest.importorskip("termios")


@pytest.fixture
def on_terminal(tmp_path, tfrec):
    """Run `tfrec` with a terminal as stderr; return what it shows there."""

    def on_terminal(*args):
        terminal, end = pty.openpty()
        termios.tcsetwinsize(end, (24, 100))
        environment = {**os.environ, "PYTHONPATH": str(tfrec.root)}
        command = [sys.executable, "-m", "tfrec", *args]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=end
        )
        os.close(end)
        shown = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # Linux says so that the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(terminal)
        assert 0 == process.wait(60)
        return shown.decode()

    return on_terminal


@pytest.mark.parametrize(
    ("command", "total"),
    [
        (("build", "pets", "again.tfrecords"), "0/3 ["),
        (("check", "pets"), "0/3 ["),
        (("dump", "out.tfrecords", "show"), "0/3 ["),
        (("verify", "out.tfrecords"), "0/3 ["),
        (("dump", "out.tfrecords", "show", "--index", "0"), "0 images ["),
    ],
)
def test_a_bar_says_how_many_there_are_where_that_is_known(
    tfrec, pets, on_terminal, command, total
):
    tfrec("build", pets, "out.tfrecords")

    assert total in on_terminal(*command)


def test_a_pipe_gets_no_bar(tfrec, pets):
    tfrec("build", pets, "out.tfrecords")

    assert "" == tfrec("dump", "out.tfrecords", "show").err
