"""Interrupts at the worst moments: a future's lock was just taken, or workers are starting."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("engine", ["threads", "processes"])
@pytest.mark.parametrize(
    ("map_name", "method"),
    [("ordered", "result"), ("completed", "add_done_callback"), ("completed", "result")],
)
def test_an_interrupt_in_the_lock_of_a_future_ends_the_block(engine, map_name, method):
    command = [sys.executable, Path(__file__).parent / "interrupted.py", engine, map_name, method]

    done = subprocess.run(command, capture_output=True, timeout=60, check=True)

    assert b"interrupted\n" == done.stdout
    assert b"Traceback" not in done.stderr


INTERRUPTED_WHILE_WORKERS_START = """
import os, signal
from tfrec.engine import create_process_executor

def ignore(*_):
    pass

if __name__ == "__main__":
    signal.signal(signal.SIGINT, ignore)  # which a program that is started doesn't inherit
    with create_process_executor(2) as executor:
        done = executor.submit(abs, -7)
        os.killpg(0, signal.SIGINT)
        print(done.result())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
def test_a_worker_ignores_a_ctrl_c_from_its_start_on(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED_WHILE_WORKERS_START)
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )

    assert ("7\n", "") == (done.stdout, done.stderr)
