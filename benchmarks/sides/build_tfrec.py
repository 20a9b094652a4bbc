"""Build a dataset with tfrec: one file, or with an engine's name a directory of several."""

import sys
import time

from tfrec import BuildConfig, ImageSettings, build, scan_images


def main():
    directory, out, num_workers, *options = sys.argv[1:]
    engine = next((option for option in options if option != "fast"), None)
    config = BuildConfig(
        image=ImageSettings(fast="fast" in options),
        num_shards=None if engine is None else 4 * int(num_workers),
    )
    started = time.perf_counter()
    report = build(
        scan_images(directory),
        out,
        config,
        engine=engine or "threads",
        num_workers=int(num_workers),
    )
    print(f"{report.manifest.num_records} records")
    print(f"seconds {time.perf_counter() - started}")


if __name__ == "__main__":  # the processes of an engine import this file
    main()
