"""A Ray cluster: a task runs on any of its nodes, and again where its worker dies.

The driver sends a task's arguments and takes its result, so neither may be large. Ray is loaded
when an executor is made; `ConfigError` says where it is missing.

Tasks that are to stop are told so by an actor. `ray.cancel` would end the whole driver, without a
word, where a task finishes in the very moment in which it is cancelled (Ray 2.60).
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tfrec.engine.stopping import set_stop_event
from tfrec.errors import ConfigError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

NUM_ATTEMPTS = 3
_GRACE_SECONDS = 10.0  # of tasks that are told to stop, to remove what they were writing
_MAX_WORKERS = 1_000_000  # that one actor can tell to stop

_connecting = threading.Lock()
_num_connected = 0  # executors that need the connection; the last one ends it


class LostTaskError(BrokenExecutor):
    """A task has no result: its worker died each time that it ran; other tasks go on."""


class RayExecutor(Executor):
    """Runs tasks on a cluster; each takes one core.

    Args:
        num_workers: cores of a cluster that is started on this machine, unless one is named.
        address: of a running cluster; by default that in `RAY_ADDRESS`, if any.

    Raises:
        ConfigError: Ray isn't installed, or there is no cluster at the address.
    """

    def __init__(self, num_workers: int | None = None, *, address: str | None = None) -> None:
        self._ray = _load_ray()
        self._lock = threading.Lock()
        self._tasks: dict[Future[Any], Any] = {}
        self._is_shut_down = False
        self._is_sharer = _join(self._ray, num_workers, address or os.environ.get("RAY_ADDRESS"))
        self._is_connected = True
        self.num_workers = num_workers or int(self._ray.cluster_resources().get("CPU", 1))
        actor = self._ray.remote(num_cpus=0, max_concurrency=_MAX_WORKERS)(_StopSignal)
        self._stop_signal = actor.remote()
        self._run = self._ray.remote(num_cpus=1, max_retries=NUM_ATTEMPTS - 1)(_run)

    def submit(
        self,
        function: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Send a task to the cluster, where it may begin at once: its future can't be cancelled."""
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("no task can be submitted after shutdown")
            reference = self._run.remote(self._stop_signal, function, args, kwargs)
            self._tasks[future] = reference
        reference.future().add_done_callback(partial(self._finish, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 (as in the base class)
        """End what was submitted, or have it stop; the last executor leaves the cluster."""
        with self._lock:
            self._is_shut_down = True
            tasks = dict(self._tasks)
        has_ended = True
        if cancel_futures:
            has_ended = self._stop(list(tasks.values()))
        elif wait:
            _wait(tasks)
        else:
            return
        with self._lock:
            is_connected, self._is_connected = self._is_connected, False
        if is_connected:
            if has_ended:  # else the actor is still to tell those that begin later
                self._end_signal()
            if self._is_sharer:
                _leave(self._ray)

    def _stop(self, references: list[Any]) -> bool:
        """Tell tasks to stop; return whether all have ended, which takes those long that wait."""
        if not references or not self._ray.is_initialized():
            return True
        with suppress(ValueError):  # of a connection that another has ended
            self._stop_signal.send.remote()
        _, left = self._ray.wait(references, num_returns=len(references), timeout=_GRACE_SECONDS)
        return not left

    def _end_signal(self) -> None:
        if self._ray.is_initialized():  # else Ray would start a cluster
            with suppress(ValueError):  # as above
                self._ray.kill(self._stop_signal)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=exc_type is not None)

    def _finish(self, future: Future[Any], outcome: Future[Any]) -> None:
        """Hand the outcome of a task on to the future that its submitter has."""
        self._tasks.pop(future, None)
        error = outcome.exception()
        if error is None:
            future.set_result(outcome.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            future.set_exception(error.cause)
        else:
            lost = LostTaskError(f"the worker died {NUM_ATTEMPTS} times")
            lost.__cause__ = error
            future.set_exception(lost)


def create_ray_executor(
    num_workers: int | None = None, *, address: str | None = None
) -> RayExecutor:
    """Return an executor on a Ray cluster."""
    return RayExecutor(num_workers, address=address)


def _load_ray() -> Any:  # noqa: ANN401 (a module)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a build tells nobody about itself
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            f"the engine 'ray' needs `pip install \"tfrec-builder[ray]\"` ({error})"
        ) from error
    return ray


def _join(ray: Any, num_workers: int | None, address: str | None) -> bool:  # noqa: ANN401
    """Count an executor; return whether it uses a connection that was made here."""
    global _num_connected  # noqa: PLW0603 (Ray has one connection for the process)
    with _connecting:
        if not ray.is_initialized():
            _connect(ray, num_workers, address)
            _num_connected = 0
        elif not _num_connected:
            return False
        _num_connected += 1
    return True


def _leave(ray: Any) -> None:  # noqa: ANN401
    global _num_connected  # noqa: PLW0603
    with _connecting:
        _num_connected -= 1
        if not _num_connected:
            ray.shutdown()


def _connect(ray: Any, num_workers: int | None, address: str | None) -> None:  # noqa: ANN401
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {
            "num_cpus": num_workers,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",  # nobody else has to reach it
        }
    try:
        with _kept_sigterm_handler():
            ray.init(address or "local", **options)
    except ConnectionError as error:
        raise ConfigError(f"there is no Ray cluster at {address}: {error}") from error


@contextmanager
def _kept_sigterm_handler() -> Iterator[None]:
    """Keep Ray from taking SIGTERM: it would print the driver's stack and end by a signal."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)


class _StopSignal:
    """The actor: it answers each worker that waits once its tasks are to stop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    async def send(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


def _run(
    stop_signal: Any,  # noqa: ANN401 (the handle of an actor)
    function: Callable[..., Result],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Result:
    event = _follow(stop_signal)
    if event.is_set():
        raise CancelledError
    set_stop_event(event)
    return function(*args, **kwargs)


@lru_cache(maxsize=1)  # the tasks of a worker have one signal, that of their executor
def _follow(stop_signal: Any) -> threading.Event:  # noqa: ANN401
    """Return an event that is set once the signal is sent; in a worker."""
    event = threading.Event()

    def finish(waiting: Future[None]) -> None:
        if waiting.exception() is None:  # else the actor has ended: with its executor, or its node
            event.set()

    stop_signal.wait.remote().future().add_done_callback(finish)
    return event


_wait = wait  # `shutdown` has an argument of that name
