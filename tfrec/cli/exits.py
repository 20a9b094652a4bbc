"""Exit codes, and which error gives which."""

from tfrec.errors import ConfigError

DONE = 0
FAILED = 1
USAGE = 2
LEFT_OUT = 3
INTERRUPTED = 130
TERMINATED = 143

MEANINGS = {
    DONE: "done",
    FAILED: "failed, or damage or a difference was found",
    USAGE: "wrong usage",
    LEFT_OUT: "done, but data was left out",
    INTERRUPTED: "interrupted by Ctrl-C",
    TERMINATED: "interrupted by SIGTERM",
}


def code_of(error: Exception) -> int:
    """Return the exit code of an error that a person can do something about."""
    return USAGE if isinstance(error, ConfigError) else FAILED
