import dataclasses
import re

import pytest

from tfrec.errors import ConfigError
from tfrec.images import ImageSettings


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"size": (0, 256)}, "size 0x256: each side must be from 1 to 65535"),
        ({"size": (256, 65536)}, "size 256x65536"),
        ({"size": 256}, "size 256: must be (width, height), or None"),
        ({"size": (256, 256, 3)}, "size (256, 256, 3): must be (width, height), or None"),
        ({"size": (256.0, 256)}, "size (256.0, 256): must be (width, height), or None"),
        ({"resize": "squash"}, "resize 'squash': must be one of 'stretch', 'crop', 'pad', 'fit'"),
        ({"resample": "cubic"}, "resample 'cubic'"),
        ({"icc": "adobe"}, "icc 'adobe'"),
        ({"background": (0, 0, 256)}, "background"),
        ({"background": (0, 0)}, "background"),
        ({"max_pixels": 0}, "max_pixels 0"),
        ({"fast": True, "resample": "hamming"}, "resample 'hamming': the setting `fast` has no"),
    ],
)
def test_setting_out_of_range_is_refused(setting, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        ImageSettings(**setting)


def test_settings_are_values():
    assert ImageSettings() == dataclasses.replace(ImageSettings(size=(1, 1)), size=(256, 256))
