"""A Ray cluster: a task runs on any of its nodes, and again where its worker dies.

The driver sends a task's arguments and takes its result, so neither may be large. Ray is loaded
when an executor is made; `ConfigError` says where it is missing.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from functools import partial
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tfrec.errors import ConfigError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

NUM_ATTEMPTS = 3
_GRACE_SECONDS = 10.0  # of tasks that are told to stop, to remove what they were writing


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
        self._is_owner = not self._ray.is_initialized()
        if self._is_owner:
            _connect(self._ray, num_workers, address or os.environ.get("RAY_ADDRESS"))
        self.num_workers = num_workers or int(self._ray.cluster_resources().get("CPU", 1))
        self._run = self._ray.remote(num_cpus=1, max_retries=NUM_ATTEMPTS - 1)(_run)

    def submit(
        self,
        function: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Send a task to the cluster; cancelling its future stops it even where it runs."""
        future: Future[Result] = Future()
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("no task can be submitted after shutdown")
            reference = self._run.remote(function, args, kwargs)
            self._tasks[future] = reference
        future.add_done_callback(self._stop_if_cancelled)
        reference.future().add_done_callback(partial(self._finish, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 (as in the base class)
        """End what was submitted, or stop it; leave a cluster that was started here."""
        with self._lock:
            self._is_shut_down = True
            tasks = dict(self._tasks)
        if cancel_futures:
            for future in tasks:
                future.cancel()
            if tasks:
                self._ray.wait(list(tasks.values()), num_returns=len(tasks), timeout=_GRACE_SECONDS)
        elif wait:
            _wait(tasks)
        if self._is_owner:
            self._is_owner = False
            self._ray.shutdown()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=exc_type is not None)

    def _stop_if_cancelled(self, future: Future[Any]) -> None:
        reference = self._tasks.pop(future, None)
        if future.cancelled() and reference is not None:
            self._ray.cancel(reference)

    def _finish(self, future: Future[Any], outcome: Future[Any]) -> None:
        """Hand the outcome of a task on to the future that its submitter has."""
        if not future.set_running_or_notify_cancel():
            return
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


def _connect(ray: Any, num_workers: int | None, address: str | None) -> None:  # noqa: ANN401
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {
            "num_cpus": num_workers,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",  # nobody else has to reach it
        }
    try:
        ray.init(address or "local", **options)
    except ConnectionError as error:
        raise ConfigError(f"there is no Ray cluster at {address}: {error}") from error


def _run(function: Callable[..., Result], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Result:
    return function(*args, **kwargs)


_wait = wait  # `shutdown` has an argument of that name
