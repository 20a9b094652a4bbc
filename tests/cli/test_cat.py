"""`tfrec cat` as a process."""

import json

from tfrec.example import encode_example
from tfrec.wire import frame_record

FILE = b"".join(
    frame_record(
        encode_example({"label": number, "name": b"n%d" % number, "sizes": list(range(12))})
    )
    for number in range(4)
)


def test_records_are_shown_with_their_features(tfrec, save):
    save("x.tfrecord", FILE)

    done = tfrec("cat", "x.tfrecord", "--index", "1", "--features", "label,name")

    assert (0, "") == (done.code, done.err)
    assert done.out == (
        f"x.tfrecord: record 1 at offset {len(FILE) // 4}\n"
        "  label  int64  1\n"
        "  name   bytes  'n1'\n"
    )


def test_long_lists_are_cut_for_people(tfrec, save):
    save("x.tfrecord", FILE)

    done = tfrec("cat", "x.tfrecord", "--index", "0", "--features", "sizes")

    assert done.out.endswith("  sizes  int64  0, 1, 2, 3, 4, 5, 6, 7 and 4 more\n")


def test_json_is_one_line_a_record(tfrec, save):
    save("x.tfrecord", FILE)

    done = tfrec("cat", "x.tfrecord", "--where", "label >= 2", "--json")

    documents = [json.loads(line) for line in done.out.splitlines()]
    assert [2, 3] == [document["record"] for document in documents]
    assert {"label": [2], "name": ["n2"], "sizes": list(range(12))} == documents[0]["features"]


def test_standard_input_is_read(tfrec, save):
    path = save("x.tfrecord", FILE)

    with path.open("rb") as stream:
        done = tfrec("cat", "-", "--index", "3", "--features", "label", stdin=stream)

    assert done.out == f"-: record 3 at offset {3 * len(FILE) // 4}\n  label  int64  3\n"


def test_a_test_that_is_none_is_wrong_usage(tfrec, save):
    save("x.tfrecord", FILE)

    done = tfrec("cat", "x.tfrecord", "--where", "== 3")

    assert 2 == done.code
    assert "'== 3' is no test of a feature" in done.err


def test_a_text_file_is_named_for_what_it_is(tfrec, save):
    save("x.txt", b"words, words and more words\n" * 6)

    done = tfrec("cat", "x.txt")

    assert (1, "") == (done.code, done.out)
    assert done.err == (
        "error: x.txt: record 0 at offset 0: this is no TFRecord file, but a text file\n"
    )
