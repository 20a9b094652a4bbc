"""Instructions for each further record, counted by callgrind: the same on a busy machine.

Each program goes over its records a few times and then many times; the difference leaves out
start-up, which varies by a few percent with the places of objects in memory. The limits are a
quarter above what was counted.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.stress,
    pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind"),
]

NUM_RECORDS = 2048
FEW, MANY = 1, 9

PREPARE = """
import io, sys
from tfrec import FixedLenFeature, encode_example, parse_example
from tfrec.wire import RecordReader, RecordWriter
num_rounds = int(sys.argv[1])
features = {"id": FixedLenFeature([], "int64"), "name": FixedLenFeature([], "string")}
examples = [encode_example({"id": i, "name": b"a name of some length"}) for i in range(2048)]
stream = io.BytesIO()
with RecordWriter(stream) as writer:
    for i in range(2048):
        writer.write(bytes([i % 251]) * 150)
data = stream.getvalue()
"""

READ = """
for _ in range(num_rounds):
    sum(map(len, RecordReader(io.BytesIO(data), path="x").batches()))
"""
WRITE = """
for _ in range(num_rounds):
    with RecordWriter(io.BytesIO()) as writer:
        for example in examples:
            writer.write(example)
"""
PARSE = """
for start in range(0, num_rounds * 2048, 256):
    start %= 2048
    parse_example(examples[start : start + 256], features)
"""


def count_instructions(code, num_rounds):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         sys.executable, "-c", PREPARE + code, str(num_rounds)],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("code", "limit"),
    [(READ, 11_200), (WRITE, 13_500), (PARSE, 9_600)],
    ids=["read", "write", "parse"],
)
def test_instructions_for_a_record(code, limit):
    few, many = (count_instructions(code, num_rounds) for num_rounds in (FEW, MANY))

    assert (many - few) / ((MANY - FEW) * NUM_RECORDS) <= limit
