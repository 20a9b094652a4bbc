"""An executor without workers: what is submitted runs at once, in the caller."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class SerialExecutor(Executor):
    """Run each task in the thread that submits it; none any more once `should_stop` says True."""

    def __init__(self, should_stop: Callable[[], bool] = lambda: False) -> None:
        self._should_stop = should_stop

    def submit(
        self,
        function: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Run `function` and return its finished future.

        Raises:
            CancelledError: the executor is to stop.
        """
        if self._should_stop():
            raise CancelledError
        future: Future[Result] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 (the future hands it on)
            future.set_exception(error)
        return future
