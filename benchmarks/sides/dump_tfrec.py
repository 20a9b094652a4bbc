"""Dump a file with tfrec, without what the program takes to start: dump_tfrec.py FILE OUT THREADS."""

import sys
import time

from tfrec import dump


def main():
    path, out, num_threads = sys.argv[1:]
    started = time.perf_counter()
    dump([path], out, num_workers=int(num_threads))
    print(f"seconds {time.perf_counter() - started}")


main()
