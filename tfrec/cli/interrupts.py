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
from typing import NoReturn


class Terminated(SystemExit):
    """SIGTERM was sent."""


_RAISED: dict[int, type[BaseException]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}

_last_signal: int | None = None


def install_handlers() -> None:
    """Handle both signals, but not a Ctrl-C that is ignored, as in the background of a shell."""
    signal.signal(signal.SIGTERM, _handle)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _handle)


def _handle(number: int, _frame: object) -> None:
    global _last_signal  # noqa: PLW0603 (a handler has no other way to hand it on)
    _last_signal = number
    raise _RAISED[number]


def raise_lost() -> None:
    """Raise an interrupt again; to be called wherever a command has done a part of its work."""
    if _last_signal is not None:
        raise _RAISED[_last_signal]


def end_at_once_by_the_next() -> None:
    """Let a second Ctrl-C end the program at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def leave(code: int) -> NoReturn:
    """End without waiting for threads: an interrupt may keep a lock that one of them waits for."""
    gc.collect()  # blocks that the interrupt has left half entered end now, and tidy up
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
