"""What the workers of a test's cluster run; they import it by its name."""

import os
import threading
from itertools import count

from tfrec.engine import until_stopped
from tfrec.errors import ImageError
from tfrec.schema.raw import RawSchema


class PoisonedSchema(RawSchema):
    """One of the images ends every worker that encodes it."""

    def encode(self, sample):
        if sample.path == "a/14.png":
            os._exit(1)
        return super().encode(sample)


SCHEMA = PoisonedSchema()


def square(number):
    return number * number


def fail(number):
    raise ImageError(f"{number}.png", "is bad")


def die(log):
    with open(log, "a") as stream:
        stream.write("began\n")
    os._exit(1)


def hold(began, ended):
    open(began, "w").close()
    try:
        for _ in until_stopped(count()):
            threading.Event().wait(0.01)
    finally:
        open(ended, "w").close()


def wait_for_file(path):
    while not os.path.exists(path):
        threading.Event().wait(0.01)
