"""Datasets of a few photographs for the real readers."""

import numpy as np
import pytest
from PIL import Image

from tfrec.dataset.build_config import BuildConfig
from tfrec.operations.build import build
from tfrec.source.walk import scan_images
from tfrec.storage import LocalStorage

CLASSES = ("cat", "dog", "eel")
IMAGES_A_CLASS = 8


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    """A directory of 24 smooth images in three classes."""
    directory = tmp_path_factory.mktemp("photos")
    random = np.random.default_rng(7)
    for name in CLASSES:
        (directory / name).mkdir()
        for number in range(IMAGES_A_CLASS):
            pixels = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
            image = Image.fromarray(pixels).resize((64, 48))
            image.save(directory / name / f"{number}.png")
    return str(directory)


@pytest.fixture
def make_dataset(photos, tmp_path):
    """Build a dataset of the photographs; return its path."""

    def make_dataset(name="out", **settings):
        source = scan_images(photos, storage=LocalStorage())
        build(source, str(tmp_path / name), BuildConfig(**settings))
        return str(tmp_path / name)

    return make_dataset


@pytest.fixture
def expected_pixels(photos):
    """Return the pixels of an image by its path, as Pillow gives them."""

    def expected_pixels(path):
        with Image.open(f"{photos}/{path}") as image:
            return np.asarray(image.convert("RGB").resize((256, 256)))

    return expected_pixels
