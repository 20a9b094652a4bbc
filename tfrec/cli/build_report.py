"""The file that `tfrec build --report` writes: the summary, what was written, and its times."""

from typing import Any

from tfrec.cli import build_words
from tfrec.operations.build import BuildReport
from tfrec.source.image_source import ImageSource


def describe_build(report: BuildReport, source: ImageSource) -> dict[str, Any]:
    """Return the report as JSON values; `seconds` is what the build took, without the scan."""
    manifest = report.manifest
    written = [shard for shard in manifest.shards if shard.name in report.written]
    num_written = sum(shard.num_records for shard in written)
    bytes_written = sum(shard.num_bytes for shard in written)
    return {
        **build_words.as_document(report, source),
        "splits": {
            name: {
                "num_records": split.num_records,
                "num_bytes": split.num_bytes,
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
        "duplicates": [found._asdict() for found in report.duplicates],
        "seconds": round(report.seconds, 3),
        "records_per_second": round(num_written / max(report.seconds, 1e-3), 1),
        "bytes_per_second": round(bytes_written / max(report.seconds, 1e-3)),
        "settings": manifest.config,
        "versions": dict(manifest.versions),
    }
