"""What the system has too little of for a command, and what helps."""

import errno

_FEWER = "use fewer `--workers`"
_NO_THREAD = "can't start new thread"  # what Python says, by an error of no kind of its own
_NO_LIBRARY = "failed to map segment"  # what the loader of Linux says where memory is short


def describe_shortage(error: Exception, *, has_workers: bool) -> str | None:
    """Say what is lacking, and how to need less or have more; None for any other error."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MemoryError) or number == errno.ENOMEM or _says(error, _NO_LIBRARY):
        lack = "there is too little memory"
        remedies = ["end other programs", "raise the limit that `ulimit -v` shows"]
    elif number in (errno.EMFILE, errno.ENFILE):
        lack = "too many files are open"
        remedies = ["raise the limit that `ulimit -n` shows, such as by `ulimit -n 4096`"]
    elif _says(error, _NO_THREAD) or _is_refused_process(error):
        lack = "no more threads or processes can be started"
        remedies = ["raise the limits that `ulimit -u` and `ulimit -v` show"]
    else:
        return None
    *most, last = [_FEWER, *remedies] if has_workers else remedies
    return f"{lack}; {', '.join(most)}{', or ' if most else ''}{last}"


def _says(error: Exception, words: str) -> bool:
    return isinstance(error, (RuntimeError, ImportError)) and words in str(error)


def _is_refused_process(error: Exception) -> bool:
    """Say whether the system has started no process; where a lock is taken, a file is named."""
    return isinstance(error, BlockingIOError) and error.filename is None
