"""An interrupt that comes at the worst moment: when the lock of a future was just taken."""

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
