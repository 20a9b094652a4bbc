"""CRC-32C (Castagnoli) and the mask that TFRecord files put over it.

google-crc32c computes it in hardware (16 to 31 GB/s); crcmod's C extension (0.5 GB/s) or its
Python code (17 MB/s) serves where google-crc32c has no compiled wheel. `BACKEND` says which one is
at work.
"""

import importlib
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# Stored CRCs are masked because a CRC of data that contains its own CRC is degenerate
# (TensorFlow, core/lib/hash/crc32c.h).
_MASK_DELTA = 0xA282EAD8
_UINT32 = 0xFFFFFFFF

Crc32c = Callable[[bytes], int]


def _load_google() -> Crc32c | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it warns that it has no compiled part
        try:
            google_crc32c = importlib.import_module("google_crc32c")
        except ImportError:
            return None
    if google_crc32c.implementation != "c":
        return None
    value: Crc32c = google_crc32c.value
    return value


def _load_crcmod() -> tuple[Crc32c, str]:
    predefined = importlib.import_module("crcmod.predefined")
    value: Crc32c = predefined.mkPredefinedCrcFun("crc-32c")
    compiled = importlib.import_module("crcmod.crcmod")._usingExtension  # noqa: SLF001 (no public name says it)
    return value, "crcmod (compiled)" if compiled else "crcmod (Python, slow)"


def load_backend() -> tuple[Crc32c, str]:
    """Return the fastest CRC-32C function installed, and its name."""
    google = _load_google()
    return (google, "google-crc32c") if google else _load_crcmod()


crc32c, BACKEND = load_backend()


def mask_all(crcs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the forms in which many CRCs are stored."""
    rotated = (crcs >> np.uint32(15)) | (crcs << np.uint32(17))
    return rotated + np.uint32(_MASK_DELTA)  # which wraps round


def masked_crc32c(data: bytes) -> int:
    """Return the CRC-32C of `data` in its stored form."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & _UINT32
