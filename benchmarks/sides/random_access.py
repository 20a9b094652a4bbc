"""Read 20,000 records by random numbers, of a file that has an index.

python random_access.py FILE tfrec    by TFRecordFile, checksums compared
python random_access.py FILE seek     by bare seeks and reads of the same bytes
"""

import random
import sys
import time

from tfrec import TFRecordFile, index

NUM_READS = 20_000


def main():
    path, way = sys.argv[1:]
    list(index([path]))
    with TFRecordFile(path) as file:
        places = file.places
    numbers = random.Random(0).choices(range(len(places)), k=NUM_READS)
    started = time.perf_counter()
    if way == "tfrec":
        with TFRecordFile(path) as file:
            print(f"{len(file)} records, known after {time.perf_counter() - started:.4f} s")
            total = sum(len(file[number]) for number in numbers)
    else:
        with open(path, "rb", buffering=0) as stream:
            total = 0
            for number in numbers:
                stream.seek(places.offsets[number])
                total += len(stream.read(places.frame_size(number)))
    print(f"{total} bytes")
    print(f"seconds {time.perf_counter() - started}")


main()
