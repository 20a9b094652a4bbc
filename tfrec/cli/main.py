"""Where the `tfrec` command starts: a Ctrl-C ends it in one line from its first import on."""

import os


def main() -> None:
    """Run the command line and exit with a documented code."""
    try:
        from tfrec.cli import interrupts

        interrupts.run_interruptible(_run)
    except KeyboardInterrupt:  # Python's own: ours wasn't there yet, nor are the words and codes
        try:
            os.write(2, b"interrupted\n")
        finally:
            os._exit(130)


def _run() -> None:
    # Nothing here multiplies matrices, and the threads that NumPy starts for it wait busily at
    # first: a third of the processor time of a short command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tfrec.cli.commands import run

    run()
