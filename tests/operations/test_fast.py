"""Builds with the setting `fast`, which is content: recorded, and never chosen by what is there."""

import io
import sys

import pytest
from PIL import Image

from tfrec.errors import ConfigError
from tfrec.images import ImageSettings

FAST = ImageSettings(size=(8, 8), fast=True)
EXACT = ImageSettings(size=(8, 8))


@pytest.fixture
def photos(bench):
    content = io.BytesIO()
    Image.effect_mandelbrot((200, 150), (-2, -1.5, 1, 1.5), 50).save(content, "JPEG")
    bench.files["in/a/0.jpg"] = content.getvalue()
    return bench


def test_the_manifest_says_it_with_the_version(photos):
    pytest.importorskip("cykooz_resizer")

    fast = photos.build("fast", image=FAST).manifest
    exact = photos.build("exact", image=EXACT).manifest

    assert (True, False) == (fast.config["image"]["fast"], exact.config["image"]["fast"])
    assert {"cykooz-resizer"} == set(fast.versions) - set(exact.versions)


def test_an_exact_dataset_is_not_taken_for_a_fast_one(photos):
    pytest.importorskip("cykooz_resizer")
    photos.build(image=EXACT)

    again = photos.build(image=FAST)

    assert 1 == len(again.written)


def test_without_the_extra_nothing_is_written(photos, monkeypatch):
    monkeypatch.setitem(sys.modules, "cykooz_resizer", None)
    before = dict(photos.files)

    with pytest.raises(ConfigError, match="tfrec-builder"):
        photos.build(image=FAST)

    assert before == dict(photos.files)


def test_an_installed_extra_changes_nothing_by_itself(photos, monkeypatch):
    with_it = photos.build("with", image=EXACT).manifest.shards
    monkeypatch.setitem(sys.modules, "cykooz_resizer", None)

    assert with_it == photos.build("without", image=EXACT).manifest.shards
