"""Interrupts at the worst moments: a future's lock was just taken, or workers are starting.

And what else ends a block while they are.
"""

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


INTERRUPTED_IN_A_START = """
import multiprocessing.util, os, signal, threading
from tfrec.engine import create_process_executor

spawn = multiprocessing.util.spawnv_passfds

def spawn_interrupted(*args):
    pid = spawn(*args)
    signal.pthread_kill(other.ident, signal.{name})
    os.read(arrived, 1)
    return pid

def end(number, frame):
    raise SystemExit(128 + number)

if __name__ == "__main__":
    # A thread such as that of a progress bar gets the signal that this one has masked.
    other = threading.Thread(target=threading.Event().wait, daemon=True)
    other.start()
    arrived, arrives = os.pipe()
    os.set_blocking(arrives, False)
    signal.set_wakeup_fd(arrives)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with create_process_executor(2) as executor:
        multiprocessing.util.spawnv_passfds = spawn_interrupted
        executor.submit(abs, -7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupt_while_a_worker_starts_waits_until_it_has_what_it_needs(tmp_path, name, code):
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED_IN_A_START.format(name=name))
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False
    )

    assert (code, "", "") == (done.returncode, done.stdout, done.stderr)


WITHOUT_A_THREAD = """
from concurrent.futures import process
from tfrec.engine import create_process_executor

def refuse(self):
    raise RuntimeError("can't start new thread")

if __name__ == "__main__":
    process._ExecutorManagerThread.start = refuse
    try:
        with create_process_executor(2) as executor:
            executor.submit(abs, -7)
    except RuntimeError as error:
        print(error)
"""


def test_workers_end_where_the_system_has_no_thread_for_their_pool(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WITHOUT_A_THREAD)
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=60
    )

    assert ("can't start new thread\n", "") == (done.stdout, done.stderr)
