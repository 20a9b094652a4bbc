"""The coordinator: ends a group of threads together and hands their first error on.

Three rules hold the module together. The first *stop* wins: an error that comes after a plain stop
is logged and dropped. Whatever is recorded is raised as the same object with the traceback it had.
No callback and no log call runs while the lock is held; the lock is reentrant, because a signal
handler may call `request_stop` in the middle of another method of the same thread.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

from tfrec.errors import CancelledError, OutOfRangeError, StragglerError
from tfrec.pipeline.stop_cause import ExcInfo, exception_of
from tfrec.pipeline.threads import describe_stragglers, join_all, watch_end
from tfrec.pipeline.wakeup import Wakeup

_logger = logging.getLogger(__name__)
_current: ContextVar["Coordinator | None"] = ContextVar("tfrec_coordinator", default=None)


def current_coordinator() -> "Coordinator | None":
    """Return the coordinator of the innermost `with Coordinator()` of this thread."""
    return _current.get()


def make_current(coord: "Coordinator | None") -> None:
    """Make `coord` the current coordinator of this thread, for good."""
    _current.set(coord)


class Coordinator:
    """Stops threads together, waits for them, and raises the first error of any of them.

    Used as `with Coordinator() as coord:`, leaving the block stops and joins, and `coord` is the
    current coordinator of the stages made inside.

    Args:
        clean_stop_exception_types: exceptions that mean a normal end when they reach
            `request_stop`; replaces the default `(OutOfRangeError,)`.
        stop_grace_period_secs: how long `join` waits for threads after the stop; default 120.
    """

    def __init__(
        self,
        clean_stop_exception_types: Iterable[type[BaseException]] | None = None,
        *,
        stop_grace_period_secs: float = 120,
    ) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (OutOfRangeError,)
        self._clean_types = tuple(clean_stop_exception_types)
        self._grace_secs = stop_grace_period_secs
        self._lock = threading.RLock()
        self._stopped = False
        self._joined = False
        self._announcer: int | None = None  # the thread whose stop not all have heard of yet
        self._error: BaseException | None = None
        self._traceback: TracebackType | None = None
        self._threads: set[threading.Thread] = set()
        self._waiting: set[Wakeup] = set()
        self._callbacks: dict[object, Callable[[], object]] = {}
        self._tokens: list[Token[Coordinator | None]] = []

    @property
    def joined(self) -> bool:
        """Whether a `join` has ended, one that raised included."""
        return self._joined

    def should_stop(self) -> bool:
        return self._stopped

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is requested, at most `timeout` seconds; return whether it was."""
        wakeup = Wakeup()
        with self._lock:
            if self._stopped:
                return True
            self._waiting.add(wakeup)
        try:
            return wakeup.wait(timeout) or self._stopped
        finally:
            self._waiting.discard(wakeup)

    def request_stop(self, ex: BaseException | ExcInfo | None = None) -> None:
        """Ask all threads to stop, because of `ex` if there is one.

        The first stop wins; later ones change nothing. An exception of a clean type counts as
        none. After `join`, which can report nothing any more, an exception is raised here.

        Args:
            ex: an exception, or a triple as from `sys.exc_info()`.
        """
        error, traceback = exception_of(ex)
        if error is not None and isinstance(error, self._clean_types):
            error = None
        with self._lock:
            too_late = self._joined and error is not None
            if not too_late:
                is_first = self._set_stop(error, traceback)
        if too_late and error is not None:
            raise error
        self._follow_up(error, is_first=is_first)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Hand whatever the body raises, KeyboardInterrupt too, to `request_stop`; swallow it."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001  a thread's edge: `join` raises it
            self.request_stop(error)

    def register_thread(self, thread: threading.Thread) -> None:
        """Let `join` wait for `thread` too."""
        with self._lock:
            self._threads.add(thread)

    def call_on_stop(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Run `callback` once when a stop is requested, or now if it was; it must not block.

        It runs in the thread that stops, without a lock, before `request_stop` returns. Its error
        is recorded if none is, else logged.

        Returns:
            A function that takes the callback off again.
        """
        key = object()
        with self._lock:
            is_stopped = self._stopped
            if not is_stopped:
                self._callbacks[key] = callback
        if is_stopped:
            self._call(callback)

        def remove() -> None:
            self._callbacks.pop(key, None)

        return remove

    def clear_stop(self) -> None:
        """Forget stop, error and `joined`, so that the coordinator can be used anew.

        Registered threads stay, and callbacks that have not run.
        """
        with self._lock:
            self._stopped = self._joined = False
            self._error = self._traceback = None

    def raise_requested_exception(self) -> None:
        """Raise the recorded error, if there is one, with the traceback it was recorded with."""
        with self._lock:
            error, traceback = self._error, self._traceback
        if error is not None:
            # The recorded traceback, not the grown one: raising again does not lengthen it.
            raise error.with_traceback(traceback)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float | None = None,
        ignore_live_threads: bool = False,  # noqa: FBT001, FBT002  TensorFlow's signature
    ) -> None:
        """Wait until all threads have ended, or until a stop and then the grace period.

        Covers the registered threads and `threads`; the calling thread and threads not started
        are left out.

        Args:
            threads: threads to wait for besides the registered ones.
            stop_grace_period_secs: how long to wait after a stop; default the coordinator's.
            ignore_live_threads: log threads that outlive the grace period instead of raising.

        Raises:
            BaseException: the recorded one, if there is one.
            StragglerError: threads are alive when the grace period ends.
        """
        stragglers = self._end_threads(threads or (), stop_grace_period_secs)
        self.raise_requested_exception()
        if stragglers and not ignore_live_threads:
            raise StragglerError(describe_stragglers(stragglers))
        if stragglers:
            _logger.info(describe_stragglers(stragglers))

    def __enter__(self) -> Self:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        with suppress(ValueError):  # a generator may be closed in another context than it began in
            _current.reset(self._tokens.pop())
        is_clean = error is None or isinstance(error, self._clean_types)
        cause = None if is_clean else error
        with self._lock:
            is_first = self._set_stop(cause, traceback)
        self._follow_up(cause, is_first=is_first)
        stragglers = self._end_threads((), None)
        if self._error is not error:
            self.raise_requested_exception()
        if not stragglers:
            return is_clean
        if error is None or (is_clean and self._error is None):
            raise StragglerError(describe_stragglers(stragglers))
        error.add_note(describe_stragglers(stragglers))
        return False

    def _set_stop(self, error: BaseException | None, traceback: TracebackType | None) -> bool:
        """Set the stop and its cause unless one is set; return whether it was the first."""
        this_thread = threading.get_ident()
        if self._stopped:
            return False
        # No call from here on: a signal handler sees the stop whole, or not at all.
        self._error, self._traceback = error, traceback
        self._announcer = this_thread
        self._stopped = True
        return True

    def _follow_up(self, error: BaseException | None, *, is_first: bool) -> None:
        """Wake and call whoever waits for the first stop, and log the error."""
        if self._announcer == threading.get_ident():  # also after Ctrl-C cut the first stop short
            try:
                self._announce()
            except BaseException:  # Ctrl-C struck half-way: nobody may stay asleep
                self._announce()
                raise
        if error is None:
            return
        kind = type(error).__name__
        if is_first:
            _logger.info("stop requested by %s: %s", kind, error)
        elif error is not self._error:
            level = logging.DEBUG if isinstance(error, CancelledError) else logging.INFO
            _logger.log(level, "error after the stop, dropped: %s: %s", kind, error)

    def _announce(self) -> None:
        with self._lock:
            waiting = tuple(self._waiting)
        for wakeup in waiting:
            wakeup.set_again()
        while self._callbacks:
            with self._lock:
                key = next(iter(self._callbacks), None)
                callback = self._callbacks.pop(key, None)
            if callback is not None:
                self._call(callback)
        self._announcer = None

    def _call(self, callback: Callable[[], object]) -> None:
        try:
            callback()
        except Exception as error:  # one callback must not keep the others from running
            with self._lock:
                is_recorded = self._error is None and not self._joined
                if is_recorded:
                    self._error, self._traceback = error, error.__traceback__
            _logger.info("stop callback failed: %s", error, exc_info=not is_recorded)

    def _end_threads(
        self, threads: Iterable[threading.Thread], grace_secs: float | None
    ) -> list[threading.Thread]:
        """Wait for all threads as `join` says and mark as joined; return those still alive."""
        with self._lock:
            covered = self._threads.union(threads) - {threading.current_thread()}
        watcher = self._wait_for_stop_or(covered)
        stragglers: list[threading.Thread] = []
        if self._stopped:
            grace_secs = self._grace_secs if grace_secs is None else grace_secs
            stragglers = join_all(covered, grace_secs)
        with self._lock:
            self._joined = True
            self._threads.clear()
        if watcher is not None and not stragglers:
            watcher.join()
        return stragglers

    def _wait_for_stop_or(self, threads: Iterable[threading.Thread]) -> threading.Thread | None:
        """Wait until a stop is requested or `threads` have ended; return the watcher, if any."""
        alive = [thread for thread in threads if thread.is_alive()]
        wakeup = Wakeup()
        with self._lock:
            if self._stopped or not alive:
                return None
            self._waiting.add(wakeup)
        try:
            watcher = watch_end(alive, wakeup)
            wakeup.wait()
        finally:
            self._waiting.discard(wakeup)
        return watcher
