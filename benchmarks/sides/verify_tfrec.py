"""Verify a file with tfrec: both checksums of each record, and each Example."""

import sys
import time

from tfrec.operations.verify import verify


def main():
    started = time.perf_counter()
    (report,) = verify([sys.argv[1]])
    print(f"{report.num_records} records, {len(report.faults)} faults")
    print(f"seconds {time.perf_counter() - started}")


main()
