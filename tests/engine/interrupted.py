"""A program whose map over an executor is interrupted in the lock of a future.

python interrupted.py ENGINE MAP METHOD    METHOD of the future has just taken the lock
"""

import os
import sys
import threading
from concurrent.futures import Future

from tfrec.engine import EXECUTORS, map_completed, map_ordered

MAPS = {"ordered": map_ordered, "completed": map_completed}

never = threading.Event()


class Interrupt:
    """A profile function that does what a signal handler may do at the same places."""

    def __init__(self, method):
        self._code = getattr(Future, method).__code__

    def __call__(self, frame, event, _argument):
        is_locking = frame.f_code is threading.Condition.__enter__.__code__
        if event == "c_return" and is_locking and frame.f_back.f_code is self._code:
            sys.setprofile(None)
            raise KeyboardInterrupt


def work(number):
    """Take so long that the result is asked for, and waited for, before it is there."""
    never.wait(0.2)
    return number


def main():
    engine, map_name, method = sys.argv[1:]
    try:
        with EXECUTORS[engine](2) as executor:
            results = MAPS[map_name](executor, work, range(8), window=4)
            sys.setprofile(Interrupt(method))
            for _ in results:
                pass
    except KeyboardInterrupt:
        os.write(1, b"interrupted\n")
    os._exit(0)


if __name__ == "__main__":
    main()
