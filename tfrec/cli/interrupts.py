"""Ctrl-C and SIGTERM end a command like an error, so that it removes what it was writing.

Python calls signal handlers between any two calls, also while it deletes an object; there it prints
what they raise, and goes on. So an interrupt is remembered, and raised again by a command that is
still at work.
"""

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn


class Interrupted(SystemExit):
    """Ctrl-C was pressed, or SIGTERM was sent; the exit code is that of shells.

    It is no KeyboardInterrupt, which click takes for itself. `remark` is what else a person who
    has pressed Ctrl-C should know.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number
        self.remark = ""


_last_signal: int | None = None


def run_interruptible(command: Callable[[], None]) -> None:
    """Call a command, and end the program where a signal ends it.

    A Ctrl-C that is ignored, as in the background of a shell, stays so.
    """
    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        numbers.append(signal.SIGINT)
    try:
        for number in numbers:
            signal.signal(number, _handle)
        try:
            command()
        finally:  # what comes now ends the program at once
            for number in numbers:
                signal.signal(number, signal.SIG_DFL)
    except Interrupted as interrupt:
        ending, remark = interrupt.number, interrupt.remark
    except Exception:  # what an interrupt breaks half-way, as the release of a lock, is no bug
        if _last_signal is None:
            raise
        ending, remark = _last_signal, ""
    else:
        return
    # Here the error is gone, and with it what its frames have kept.
    if ending == signal.SIGINT:
        _tell("; ".join(filter(None, ("interrupted", remark))))
    _leave(128 + ending)


def _handle(number: int, _frame: object) -> None:
    global _last_signal  # noqa: PLW0603 (a handler has no other way to hand it on)
    _last_signal = number
    raise Interrupted(number)


def raise_lost() -> None:
    """Raise an interrupt again; to be called wherever a command has done a part of its work."""
    if _last_signal is not None:
        raise Interrupted(_last_signal)


def _tell(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{sentence}\n")


def _leave(code: int) -> NoReturn:
    """End without waiting for threads: an interrupt may keep a lock that one of them waits for."""
    gc.collect()  # blocks that the interrupt has left half entered end now, and tidy up
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
