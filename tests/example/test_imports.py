"""What importing the package costs, and what it offers."""

import subprocess
import sys

import pytest

import tfrec.example


def test_importing_the_package_loads_neither_numpy_nor_protobuf():
    program = (
        "import sys, tfrec.example; "
        "print([name for name in ('numpy', 'google.protobuf') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert run.stdout == "[]\n"


def test_every_public_name_is_found():
    missing = [name for name in tfrec.example.__all__ if not hasattr(tfrec.example, name)]

    assert missing == []


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'tfrec\.example' has no attribute 'nonsense'"):
        tfrec.example.nonsense  # noqa: B018 - reading it is the test
