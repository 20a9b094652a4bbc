"""What a stop may be requested with: an exception, or a triple as from `sys.exc_info()`."""

from types import TracebackType

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def exception_of(ex: object) -> tuple[BaseException | None, TracebackType | None]:
    """Return the exception and its traceback; for anything else a ValueError that says so."""
    match ex:
        case None:
            return None, None
        case BaseException():
            return ex, ex.__traceback__
        case (_, BaseException() as error, TracebackType() as traceback):
            return error, traceback
        case (_, BaseException() as error, None):
            return error, error.__traceback__
    error = ValueError(f"stop requested with {ex!r}: neither an exception nor a triple with one")
    return error, None
