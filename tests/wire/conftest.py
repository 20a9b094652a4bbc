import io

import pytest


class Pipe(io.BytesIO):
    """A stream that can't seek, so that its size is not known."""

    def seekable(self):
        return False

    def seek(self, *args):
        raise io.UnsupportedOperation("seek")

    def tell(self):
        raise io.UnsupportedOperation("tell")


@pytest.fixture(scope="session")
def pipe_type():
    return Pipe


@pytest.fixture(scope="session", params=[io.BytesIO, Pipe], ids=["file", "pipe"])
def stream_type(request):
    return request.param
