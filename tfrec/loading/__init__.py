"""Datasets as iterators for training frameworks."""

from tfrec.loading.loader import Batch, Loader
from tfrec.loading.options import ReadOptions

__all__ = ["Batch", "Loader", "ReadOptions"]
