"""Input made to cost memory or time: each command ends soon, inside little memory."""

import gzip
import io
import struct
import subprocess
import sys
import zlib

import pytest

from tfrec.example import encode_example
from tfrec.wire import frame_record, masked_crc32c

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc"
)

# Not ru_maxrss, in which the memory of the test itself counts, from before the program began.
PROGRAM = """
from tfrec.cli.main import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    print(int(status.partition("VmHWM:")[2].split()[0]) * 1024, file=open("peak", "w"))
"""
MIB = 1 << 20


@pytest.fixture
def run(tmp_path):
    """Run a command; return its exit code, its output, and its peak of memory in bytes."""

    def run(*args, timeout=30):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *args],
            cwd=tmp_path,
            capture_output=True,
            timeout=timeout,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr, int((tmp_path / "peak").read_text())

    return run


def header(length):
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked_crc32c(head))


@pytest.mark.parametrize("length", [1 << 40, (1 << 64) - 1])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("command", ["verify", "inspect", "cat"])
def test_an_absurd_length_is_an_error_at_once(run, tmp_path, length, compress, command):
    (tmp_path / "x").write_bytes(compress(header(length) + b"ab"))

    code, output, peak = run(command, "x")

    assert 1 == code
    assert "record 0 at offset 0" in output
    assert "Traceback" not in output
    assert peak < 150 * MIB


def test_a_bomb_costs_no_memory(run, tmp_path):
    deflater = zlib.compressobj(9, wbits=31)
    zeros = bytes(MIB)
    (tmp_path / "x").write_bytes(
        b"".join(deflater.compress(zeros) for _ in range(256)) + deflater.flush()
    )

    for command in (["verify", "x"], ["salvage", "x", "out.tfrecord"], ["inspect", "x"]):
        code, _, peak = run(*command)

        assert 1 == code
        assert peak < 150 * MIB


def test_a_bomb_inside_a_record_costs_no_more_than_its_limit(run, tmp_path):
    deflater = zlib.compressobj(9, wbits=31)
    pieces = [deflater.compress(header(1 << 35))]
    pieces += [deflater.compress(bytes(MIB)) for _ in range(256)]
    (tmp_path / "x").write_bytes(b"".join(pieces) + deflater.flush())

    code, output, peak = run("cat", "x")

    assert 1 == code
    assert "34,359,738,368 bytes" in output
    assert peak < 150 * MIB


def test_a_message_nested_ten_thousand_times_is_an_ordinary_message(run, tmp_path):
    message = b""
    for _ in range(10_000):
        message = b"\x0a" + varint(len(message)) + message
    (tmp_path / "x").write_bytes(frame_record(message))

    for command in ("verify", "inspect", "cat"):
        code, output, _ = run(command, "x")

        assert 0 == code
        assert "Traceback" not in output


def test_a_feature_of_a_million_values_is_shown_short(run, tmp_path):
    (tmp_path / "x").write_bytes(frame_record(encode_example({"a": [1] * 1_000_000})))

    code, output, _ = run("cat", "x")

    assert 0 == code
    assert output.endswith("1, 1, 1, 1, 1, 1, 1, 1 and 999,992 more\n")


@pytest.mark.stress
def test_ten_million_empty_records_are_counted(run, tmp_path):
    with (tmp_path / "x").open("wb") as stream:
        for _ in range(1000):
            stream.write(frame_record(b"") * 10_000)

    code, output, peak = run("verify", "x", timeout=600)

    assert (0, "x: ok: 10,000,000 records, 152.6 MiB\n") == (code, output)
    assert peak < 150 * MIB


@pytest.mark.stress
@pytest.mark.parametrize("compress", [False, True])
def test_a_shuffle_stays_inside_its_memory(run, tmp_path, compress):
    """A file of four times the memory allowed, in the sizes of raw images and of rows."""
    content = io.BytesIO()
    for number in range(1000):
        content.write(frame_record(number.to_bytes(4) + bytes(196_604)))
        content.write(b"".join(frame_record(b"%d" % row) for row in range(300)))
    data = content.getvalue()
    (tmp_path / "x").write_bytes(gzip.compress(data, 1) if compress else data)
    memory = 64 * MIB
    assert len(data) > 3 * memory

    code, output, peak = run(
        "reshard", "x", "out.tfrecord", "--shuffle", "--memory", "64MiB", timeout=300
    )

    assert 0 == code
    assert "301,000 records" in output
    assert peak < memory


def varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
