"""Turn labelled images into TFRecord datasets, and read TFRecords back, without TensorFlow.

    import tfrec

    source = tfrec.scan_images("photos")
    report = tfrec.build(source, "out.tfrecords")

The names here are what most programs need; they are loaded when first used, so ask for the help of
each by its name: `help(tfrec.build)`.

    images -> records    scan_images, build, check, BuildConfig, ImageSettings
    records -> images    open, Loader, ReadOptions, dump
    single records       open_records, TFRecordFile, TFRecordWriter, TFRecordOptions
    features             encode_example, decode_example, decode_raw, parse_example,
                         parse_single_example, FixedLenFeature, FixedLenSequenceFeature,
                         VarLenFeature
    whole files          inspect, verify, cat, index, salvage, reshard, ReshardConfig
    errors               TfrecError, of which all others are

`tfrec.pipeline` has the coordinated input pipeline, `tfrec.loading.torch` a dataset for PyTorch,
`tfrec.errors` every error.
"""

from importlib import import_module

TYPE_CHECKING = False  # checkers know the name; `typing` is half of what this package loads at once
if TYPE_CHECKING:
    from tfrec._version import __version__ as __version__
    from tfrec.dataset.build_config import BuildConfig as BuildConfig
    from tfrec.dataset.reading import open as open  # noqa: A004 (its name)
    from tfrec.dataset.record_file import TFRecordFile as TFRecordFile
    from tfrec.dataset.record_writer import TFRecordOptions as TFRecordOptions
    from tfrec.dataset.record_writer import TFRecordWriter as TFRecordWriter
    from tfrec.errors import TfrecError as TfrecError
    from tfrec.example import FixedLenFeature as FixedLenFeature
    from tfrec.example import FixedLenSequenceFeature as FixedLenSequenceFeature
    from tfrec.example import VarLenFeature as VarLenFeature
    from tfrec.example import decode_example as decode_example
    from tfrec.example import decode_raw as decode_raw
    from tfrec.example import encode_example as encode_example
    from tfrec.example import parse_example as parse_example
    from tfrec.example import parse_single_example as parse_single_example
    from tfrec.images.settings import ImageSettings as ImageSettings
    from tfrec.loading.loader import Loader as Loader
    from tfrec.loading.options import ReadOptions as ReadOptions
    from tfrec.operations.build import build as build
    from tfrec.operations.cat import cat as cat
    from tfrec.operations.check import check as check
    from tfrec.operations.dump import dump as dump
    from tfrec.operations.index import index as index
    from tfrec.operations.inspect import inspect as inspect
    from tfrec.operations.reshard import ReshardConfig as ReshardConfig
    from tfrec.operations.reshard import reshard as reshard
    from tfrec.operations.salvage import salvage as salvage
    from tfrec.operations.verify import verify as verify
    from tfrec.source.walk import scan_images as scan_images
    from tfrec.wire import open_records as open_records

_MODULES = {
    "BuildConfig": "dataset.build_config",
    "FixedLenFeature": "example",
    "FixedLenSequenceFeature": "example",
    "ImageSettings": "images.settings",
    "Loader": "loading.loader",
    "ReadOptions": "loading.options",
    "ReshardConfig": "operations.reshard",
    "TFRecordFile": "dataset.record_file",
    "TFRecordOptions": "dataset.record_writer",
    "TFRecordWriter": "dataset.record_writer",
    "TfrecError": "errors",
    "VarLenFeature": "example",
    "__version__": "_version",
    "build": "operations.build",
    "cat": "operations.cat",
    "check": "operations.check",
    "decode_example": "example",
    "decode_raw": "example",
    "dump": "operations.dump",
    "encode_example": "example",
    "index": "operations.index",
    "inspect": "operations.inspect",
    "open": "dataset.reading",
    "open_records": "wire",
    "parse_example": "example",
    "parse_single_example": "example",
    "reshard": "operations.reshard",
    "salvage": "operations.salvage",
    "scan_images": "source.walk",
    "verify": "operations.verify",
}

__all__ = sorted(_MODULES)  # noqa: PLE0605 (a list of strings, though computed)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
