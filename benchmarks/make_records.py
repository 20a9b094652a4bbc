"""Write records of about 150 bytes with three features: python make_records.py FILE NUMBER."""

import sys

import numpy as np

from tfrec import TFRecordWriter, encode_example


def main() -> None:
    path, num_records = sys.argv[1], int(sys.argv[2])
    random = np.random.default_rng(0)
    with TFRecordWriter(path) as writer:
        for number in range(num_records):
            vector = random.random(20, np.float32)
            features = {"id": number, "vector": vector, "name": b"record %013d" % number}
            writer.write(encode_example(features))


if __name__ == "__main__":
    main()
