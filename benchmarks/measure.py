"""Run a program and measure it, in a process of its own."""

import os
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

ENVIRONMENT = os.environ | {
    # TensorFlow writes pages of start-up notes otherwise.
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    # Empty is unset: `pip install` compiles modules once, and not at every start.
    "PYTHONDONTWRITEBYTECODE": "",
}


class Measurement(NamedTuple):
    """`seconds` of the work as the program itself says them, else of the whole process.

    `peak_mib` is never less than what this process has when it starts the other: Linux counts from
    the fork on. So nothing large is imported here.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float


def measure(command: Sequence[str]) -> Measurement:
    """Run `command` to its end.

    A program that prints `seconds X` last measures itself, and so leaves out its imports.

    Raises:
        RuntimeError: the program fails; the message has its output.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)  # the usage of this child alone
    elapsed = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{output}")
    last_line = output.strip().rpartition("\n")[2].split()
    own = float(last_line[1]) if last_line[:1] == ["seconds"] else None
    return Measurement(
        seconds=elapsed if own is None else own,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_mib=usage.ru_maxrss / 1024,  # Linux gives KiB
    )
