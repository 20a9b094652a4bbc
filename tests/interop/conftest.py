"""Datasets of a few photographs for the real readers, and images in object stores."""

import io

import numpy as np
import pytest
from PIL import Image

from tfrec.dataset.build_config import BuildConfig
from tfrec.operations.build import build
from tfrec.source.walk import scan_images
from tfrec.storage import AnyStorage, LocalStorage

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


@pytest.fixture
def storage():
    return AnyStorage()


@pytest.fixture
def quick_leases(monkeypatch):
    """Let the lock of a builder that is gone be known for one soon."""
    monkeypatch.setattr("tfrec.storage.lease.RENEW_SECONDS", 0.05)
    monkeypatch.setattr("tfrec.storage.lease.LEASE_SECONDS", 0.5)


@pytest.fixture
def put_images(storage, tmp_path):
    """Save 12 small images in a store and below `tmp_path`; return where they are in the store."""

    def put_images(bucket):
        for number in range(12):
            content = io.BytesIO()
            Image.new("RGB", (16, 16), (number, 5, 5)).save(content, "PNG")
            path = f"{'ab'[number % 2]}/é {number:02}+#%.png"
            (tmp_path / "photos" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "photos" / path).write_bytes(content.getvalue())
            with storage.publish(f"{bucket}/photos/{path}") as stream:
                stream.write(content.getvalue())
        return f"{bucket}/photos"

    return put_images


@pytest.fixture
def read_tree(storage):
    """Return the content of each file of a directory, by name."""

    def read_tree(directory):
        found = {}
        for entry in storage.scan(directory):
            with storage.open_read(storage.join(directory, entry.name)) as stream:
                found[entry.name] = stream.read()
        return found

    return read_tree
