"""Queues, coordinator, producers and batchers: the input pipeline of TensorFlow 1, in threads.

Names are loaded when first used: a command's help needs no numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrec.pipeline.batching import batch, batch_join, shuffle_batch, shuffle_batch_join
    from tfrec.pipeline.collection import QueueRunners, add_queue_runner, start_queue_runners
    from tfrec.pipeline.coordinator import Coordinator, current_coordinator
    from tfrec.pipeline.input import (
        input_producer,
        limit_epochs,
        match_filenames,
        range_input_producer,
        slice_input_producer,
        string_input_producer,
    )
    from tfrec.pipeline.looper import LooperThread
    from tfrec.pipeline.queue import Queue
    from tfrec.pipeline.queue_runner import QueueRunner
    from tfrec.pipeline.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
    from tfrec.pipeline.readers import TFRecordReader, WholeFileReader
    from tfrec.pipeline.sources import Source
    from tfrec.pipeline.stage import Stage

__all__ = [
    "Coordinator",
    "FIFOQueue",
    "LooperThread",
    "PaddingFIFOQueue",
    "Queue",
    "QueueRunner",
    "QueueRunners",
    "RandomShuffleQueue",
    "Source",
    "Stage",
    "TFRecordReader",
    "WholeFileReader",
    "add_queue_runner",
    "batch",
    "batch_join",
    "current_coordinator",
    "input_producer",
    "limit_epochs",
    "match_filenames",
    "range_input_producer",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
]

_MODULES = {
    "Coordinator": "coordinator",
    "FIFOQueue": "queues",
    "LooperThread": "looper",
    "PaddingFIFOQueue": "queues",
    "Queue": "queue",
    "QueueRunner": "queue_runner",
    "QueueRunners": "collection",
    "RandomShuffleQueue": "queues",
    "Source": "sources",
    "Stage": "stage",
    "TFRecordReader": "readers",
    "WholeFileReader": "readers",
    "add_queue_runner": "collection",
    "batch": "batching",
    "batch_join": "batching",
    "current_coordinator": "coordinator",
    "input_producer": "input",
    "limit_epochs": "input",
    "match_filenames": "input",
    "range_input_producer": "input",
    "shuffle_batch": "batching",
    "shuffle_batch_join": "batching",
    "slice_input_producer": "input",
    "start_queue_runners": "collection",
    "string_input_producer": "input",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
