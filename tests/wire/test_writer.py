import io

import pytest

from tfrec.wire import RecordWriter, frame_record


@pytest.fixture
def stream():
    return io.BytesIO()


def test_records_are_framed_one_after_the_other(stream):
    with RecordWriter(stream) as writer:
        for record in (b"a", b"", b"hello"):
            writer.write(record)

    expected = (
        "0100000000000000 0175de41 61 786ee428"
        "0000000000000000 29039807 d8ea82a2"
        "0500000000000000 eab2043e 68656c6c6f bb1f1c19"
    )
    assert bytes.fromhex(expected) == stream.getvalue()


def test_what_was_written_is_counted(stream):
    writer = RecordWriter(stream)
    writer.write(b"hello")
    writer.write(b"")

    assert (2, 37) == (writer.num_records, writer.num_bytes)
    assert writer.num_bytes == len(stream.getvalue())


def test_a_bytearray_is_written(stream):
    RecordWriter(stream).write(bytearray(b"hello"))

    assert frame_record(b"hello") == stream.getvalue()


@pytest.mark.parametrize("record", ["text", 5, None, memoryview(b"view"), [1]])
def test_what_is_no_bytes_is_refused_and_nothing_is_written(stream, record):
    writer = RecordWriter(stream)

    with pytest.raises(TypeError, match=f"not {type(record).__name__}"):
        writer.write(record)

    assert (b"", 0) == (stream.getvalue(), writer.num_records)


def test_flush_makes_the_records_readable_by_others(tmp_path):
    path = tmp_path / "x.tfrecords"
    with path.open("wb") as file:
        writer = RecordWriter(file)
        for record in (b"one", b"two", b"three"):
            writer.write(record)
        writer.flush()

        expected = b"".join(map(frame_record, (b"one", b"two", b"three")))
        assert expected == path.read_bytes()


def test_a_closed_writer_refuses_records_and_leaves_the_stream_open(stream):
    writer = RecordWriter(stream)
    writer.write(b"a")
    writer.close()
    writer.close()

    for use in (lambda: writer.write(b"b"), writer.flush):
        with pytest.raises(ValueError, match="the writer is closed"):
            use()
    assert frame_record(b"a") == stream.getvalue()


def test_an_error_inside_the_block_keeps_what_was_written(stream):
    with pytest.raises(KeyError), RecordWriter(stream) as writer:
        writer.write(b"a")
        raise KeyError

    assert frame_record(b"a") == stream.getvalue()
    with pytest.raises(ValueError):
        writer.write(b"b")


def test_no_record_is_an_empty_stream(stream):
    with RecordWriter(stream):
        pass

    assert stream.getvalue() == b""
