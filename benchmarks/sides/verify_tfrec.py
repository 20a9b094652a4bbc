"""Verify a file with tfrec: both checksums of each record, and each Example.

python verify_tfrec.py FILE alone       without a look at its manifest
python verify_tfrec.py FILE manifest    and that it is the file of its manifest, by its SHA-256
"""

import sys
import time

from tfrec.dataset.description import RecordFile
from tfrec.operations.verify import verify, verify_file
from tfrec.storage import AnyStorage


def main():
    started = time.perf_counter()
    if sys.argv[2] == "alone":
        report = verify_file(RecordFile(sys.argv[1]), AnyStorage())
    else:
        (report,) = verify([sys.argv[1]])
    print(f"{report.num_records} records, {len(report.faults)} faults")
    print(f"seconds {time.perf_counter() - started}")


main()
