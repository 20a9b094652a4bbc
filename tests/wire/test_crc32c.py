import importlib
import sys
import warnings

import crcmod.predefined
import google_crc32c
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.wire.crc32c import crc32c, load_backend, masked_crc32c


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"123456789", 0xE3069283),  # the check value of CRC-32C's catalogue entry
        (b"", 0),
        (bytes(32), 0x8A9136AA),  # this and the next two: RFC 3720, B.4
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
)
def test_crc_of_known_data(data, expected):
    assert expected == crc32c(data)


@pytest.mark.parametrize(
    ("data", "expected"), [(b"", 0xA282EAD8), (b"a", 0x28E46E78), (b"123456789", 0xC78AB0E5)]
)
def test_masked_crc_of_known_data(data, expected):
    assert expected == masked_crc32c(data)


@given(data=st.binary(max_size=300))
def test_a_crc_is_rotated_by_15_bits_and_a_constant_is_added(data):
    digits = f"{crc32c(data):032b}"
    rotated = int(digits[-15:] + digits[:-15], 2)

    assert (rotated + 0xA282EAD8) % 2**32 == masked_crc32c(data)


@given(data=st.binary(max_size=2000))
def test_both_backends_agree(data):
    assert google_crc32c.value(data) == crcmod.predefined.mkPredefinedCrcFun("crc-32c")(data)


def test_google_crc32c_serves_where_it_is_compiled():
    _, name = load_backend()

    assert name == "google-crc32c"


@pytest.mark.parametrize("implementation", ["python", None])
def test_crcmod_serves_where_google_crc32c_is_slow_or_missing(monkeypatch, implementation):
    if implementation is None:
        monkeypatch.setitem(sys.modules, "google_crc32c", None)
    else:
        monkeypatch.setattr(google_crc32c, "implementation", implementation)

    function, name = load_backend()

    assert name.startswith("crcmod")
    assert function(b"123456789") == 0xE3069283


def test_choosing_a_backend_warns_nobody(monkeypatch):
    """google-crc32c warns on import where it has no compiled part; crcmod serves then."""

    def import_with_warning(name):
        if name == "google_crc32c":
            warnings.warn("no compiled part", RuntimeWarning, stacklevel=2)
            raise ImportError(name)
        return import_module(name)

    import_module = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", import_with_warning)

    _, name = load_backend()

    assert name.startswith("crcmod")
