"""What holds for the package as a whole: its names, and that Pillow waits for the first pixel."""

import subprocess
import sys

import pytest

import tfrec.images


def test_every_public_name_is_there():
    names = tfrec.images.__all__

    assert set(names) == set(tfrec.images._MODULES)
    assert all(getattr(tfrec.images, name) is not None for name in names)


def test_other_names_are_no_attributes():
    with pytest.raises(AttributeError, match=r"'tfrec\.images' has no attribute 'no_such_name'"):
        _ = tfrec.images.no_such_name


def test_what_sniffs_bytes_loads_no_pillow():
    code = "import sys; from tfrec.images import sniff_format; print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False" == done.stdout.strip()
