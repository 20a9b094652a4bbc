"""Files of web servers: those that give ranges, and those that send whole files."""

import contextlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tfrec.dataset.record_file import TFRecordFile
from tfrec.example import encode_example
from tfrec.operations.inspect import inspect
from tfrec.operations.reshard import reshard
from tfrec.operations.verify import verify
from tfrec.storage import AnyStorage
from tfrec.wire import frame_record

pytest.importorskip("aiohttp")
pytest.importorskip("fsspec")

RECORDS = [encode_example({"label": number, "data": bytes(40_000)}) for number in range(20)]
CONTENT = b"".join(map(frame_record, RECORDS))


class WholeFiles(SimpleHTTPRequestHandler):
    """Python's own server: it ignores that a range is asked for."""

    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        with contextlib.suppress(ConnectionError):  # the reader has seen enough
            super().copyfile(source, outputfile)


class Ranges(WholeFiles):
    """Sends the part that is asked for."""

    def do_GET(self):
        with open(self.translate_path(self.path), "rb") as stream:
            content = stream.read()
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        self.send_response(206)
        self.send_header("Content-Length", str(len(content[first : last + 1])))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.end_headers()
        self.wfile.write(content[first : last + 1])


class UnknownSize(WholeFiles):
    """Doesn't say how long its files are."""

    def send_header(self, keyword, value):
        if keyword != "Content-Length":
            super().send_header(keyword, value)


@pytest.fixture
def serve(tmp_path):
    with contextlib.ExitStack() as stack:

        def serve(handler):
            (tmp_path / "x.tfrecord").write_bytes(CONTENT)
            server = ThreadingHTTPServer(
                ("127.0.0.1", 0), partial(handler, directory=str(tmp_path))
            )
            thread = threading.Thread(target=server.serve_forever, args=(0.05,))
            thread.start()
            stack.callback(server.server_close)
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}/x.tfrecord"

        yield serve


SERVERS = pytest.mark.parametrize("handler", [Ranges, WholeFiles, UnknownSize])


@SERVERS
def test_a_file_is_read_from_start_to_end(serve, handler):
    with AnyStorage().open_read(serve(handler)) as stream:
        assert CONTENT == stream.read()


@SERVERS
def test_records_are_checked_and_counted(serve, handler):
    url = serve(handler)

    (report,) = verify([url])
    (summary,) = inspect([url])

    assert (20, ()) == (report.num_records, report.faults)
    assert 20 == summary.num_records


def test_a_large_file_that_comes_whole_is_inspected_in_its_order(serve, monkeypatch):
    monkeypatch.setattr("tfrec.operations.inspect.LARGE_FILE", 1)

    (summary,) = inspect([serve(WholeFiles)])

    assert 20 == summary.num_records


@SERVERS
def test_records_are_copied_to_a_file(serve, handler, tmp_path):
    reshard([serve(handler)], str(tmp_path / "out.tfrecord"))

    assert CONTENT == (tmp_path / "out.tfrecord").read_bytes()


def test_a_record_is_read_by_its_number_from_a_server_of_ranges(serve):
    with TFRecordFile(serve(Ranges)) as file:
        assert RECORDS[7] == file[7]


@pytest.mark.parametrize("handler", [WholeFiles, UnknownSize])
def test_a_record_by_its_number_is_an_error_of_a_server_of_whole_files(serve, handler):
    url = serve(handler)

    with pytest.raises(OSError, match="sends whole files only, not parts") as caught:
        TFRecordFile(url)[7]

    assert url == caught.value.filename
