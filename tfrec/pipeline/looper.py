"""A thread that repeats a call under a coordinator, back to back or at a fixed rate."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping

from tfrec.pipeline.coordinator import Coordinator


class LooperThread(threading.Thread):
    """Calls `target` until its coordinator stops; an exception of it stops the coordinator.

    With an interval the first call comes at once and the others at `start + k * interval`; calls
    that a slow target made late are made up back to back. Subclasses may override `start_loop`,
    `run_loop` and `stop_loop`; after an exception `stop_loop` is not run.

    Args:
        coord: the coordinator; the thread registers with it now, and is a daemon.
        timer_interval_secs: seconds between the starts of two calls; None: no pause.
        target: what to call; default nothing.
        args, kwargs: what to call it with.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Iterable[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"coord is no Coordinator: {coord!r}")
        if target is None and (args or kwargs):
            raise ValueError("args or kwargs were given without a target")
        if timer_interval_secs is not None and timer_interval_secs < 0:
            raise ValueError(f"timer_interval_secs is negative: {timer_interval_secs}")
        what = getattr(target, "__name__", type(self).__name__)
        super().__init__(name=f"LooperThread-{what}", daemon=True)
        self._coord = coord
        self._interval_secs = timer_interval_secs
        self._call = target
        self._call_args = tuple(args or ())
        self._call_kwargs = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Iterable[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ) -> "LooperThread":
        """Build a LooperThread, start it and return it."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def start_loop(self) -> None:
        """Run once before the first call."""

    def run_loop(self) -> None:
        """Call the target; subclasses do here what is to be repeated."""
        if self._call is not None:
            self._call(*self._call_args, **self._call_kwargs)

    def stop_loop(self) -> None:
        """Run once after a stop."""

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                self._run_at_fixed_rate(self._interval_secs)
            self.stop_loop()

    def _run_at_fixed_rate(self, interval_secs: float) -> None:
        start = time.monotonic()
        num_calls = 0
        while not self._coord.wait_for_stop(start + num_calls * interval_secs - time.monotonic()):
            num_calls += 1
            self.run_loop()
