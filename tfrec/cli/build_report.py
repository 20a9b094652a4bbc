"""The report of a build for programs: what was done, with times, which no manifest has."""

import dataclasses
from typing import Any

from tfrec.operations.build import BuildReport
from tfrec.source.image_source import ImageSource


def describe_build(report: BuildReport, source: ImageSource) -> dict[str, Any]:
    """Return the report as JSON values; `seconds` is the time the build took, scanning excluded."""
    manifest = report.manifest
    written = [shard for shard in manifest.shards if shard.name in report.written]
    num_written = sum(shard.num_records for shard in written)
    bytes_written = sum(shard.num_bytes for shard in written)
    return {
        "path": report.path,
        "num_records": manifest.num_records,
        "num_bytes": sum(shard.num_bytes for shard in manifest.shards),
        "labels": manifest.labels,
        "splits": {
            name: {
                "num_records": split.num_records,
                "num_bytes": sum(shard.num_bytes for shard in split.shards),
                "shards": [shard.name for shard in split.shards],
                "images_per_class": dict(split.images_per_class),
            }
            for name, split in manifest.splits.items()
        },
        "written": {
            "shards": list(report.written),
            "num_records": num_written,
            "num_bytes": bytes_written,
        },
        "skipped": [dataclasses.asdict(image) for image in manifest.skipped],
        "ignored": dict(source.ignored),
        "duplicates": [found._asdict() for found in report.duplicates],
        "notes": [*(note.sentence for note in source.notes), *report.notes],
        "seconds": round(report.seconds, 3),
        "records_per_second": round(num_written / max(report.seconds, 1e-3), 1),
        "bytes_per_second": round(bytes_written / max(report.seconds, 1e-3)),
        "settings": manifest.config,
        "versions": dict(manifest.versions),
    }
