"""Queues, coordinator, producers and batchers: the input pipeline of TensorFlow 1 in threads.

Public names are imported when they are first used, so that start-up loads no numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrec.pipeline.batching import batch as batch
    from tfrec.pipeline.batching import batch_join as batch_join
    from tfrec.pipeline.batching import shuffle_batch as shuffle_batch
    from tfrec.pipeline.batching import shuffle_batch_join as shuffle_batch_join
    from tfrec.pipeline.collection import QueueRunners as QueueRunners
    from tfrec.pipeline.collection import add_queue_runner as add_queue_runner
    from tfrec.pipeline.collection import start_queue_runners as start_queue_runners
    from tfrec.pipeline.coordinator import Coordinator as Coordinator
    from tfrec.pipeline.coordinator import current_coordinator as current_coordinator
    from tfrec.pipeline.input import input_producer as input_producer
    from tfrec.pipeline.input import limit_epochs as limit_epochs
    from tfrec.pipeline.input import match_filenames as match_filenames
    from tfrec.pipeline.input import range_input_producer as range_input_producer
    from tfrec.pipeline.input import slice_input_producer as slice_input_producer
    from tfrec.pipeline.input import string_input_producer as string_input_producer
    from tfrec.pipeline.looper import LooperThread as LooperThread
    from tfrec.pipeline.queue_model import Queue as Queue
    from tfrec.pipeline.queue_runner import QueueRunner as QueueRunner
    from tfrec.pipeline.queues import FIFOQueue as FIFOQueue
    from tfrec.pipeline.queues import PaddingFIFOQueue as PaddingFIFOQueue
    from tfrec.pipeline.queues import RandomShuffleQueue as RandomShuffleQueue
    from tfrec.pipeline.readers import TFRecordReader as TFRecordReader
    from tfrec.pipeline.readers import WholeFileReader as WholeFileReader
    from tfrec.pipeline.stage import Stage as Stage

_MODULES = {
    "batching": ("batch", "batch_join", "shuffle_batch", "shuffle_batch_join"),
    "collection": ("QueueRunners", "add_queue_runner", "start_queue_runners"),
    "coordinator": ("Coordinator", "current_coordinator"),
    "input": (
        "input_producer",
        "limit_epochs",
        "match_filenames",
        "range_input_producer",
        "slice_input_producer",
        "string_input_producer",
    ),
    "looper": ("LooperThread",),
    "queue_model": ("Queue",),
    "queue_runner": ("QueueRunner",),
    "queues": ("FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue"),
    "readers": ("TFRecordReader", "WholeFileReader"),
    "stage": ("Stage",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605  a list of strings, though computed


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
