import mmap
import subprocess
import sys

import pytest
from PIL import Image

from tfrec.images import kept_pixel_memory

core = Image.core


@pytest.fixture(autouse=True)
def _pillow_as_it_starts():
    settings = core.get_blocks_max(), core.get_block_size()
    core.set_blocks_max(0)
    yield
    core.set_blocks_max(settings[0])
    core.set_block_size(settings[1])


def test_pillow_keeps_64_mib_within_the_block_and_none_after_it():
    before = core.get_blocks_max(), core.get_block_size()

    with kept_pixel_memory():
        within = core.get_blocks_max() * core.get_block_size()

    assert 64 << 20 == within
    assert before == (core.get_blocks_max(), core.get_block_size())


def test_pillow_is_as_it_was_after_an_error():
    with pytest.raises(ZeroDivisionError), kept_pixel_memory():
        _ = 1 / 0

    assert 0 == core.get_blocks_max()


def test_a_setting_of_the_user_stays():
    core.set_blocks_max(3)

    with kept_pixel_memory():
        within = core.get_blocks_max()

    assert (3, 3) == (within, core.get_blocks_max())


def test_an_inner_block_leaves_the_setting_to_the_outer_one():
    with kept_pixel_memory():
        with kept_pixel_memory():
            pass
        after_the_inner = core.get_blocks_max()

    assert 256 == after_the_inner


COUNT_PAGES = """
import contextlib, hashlib, io, resource, sys
from PIL import Image
from tfrec.images import decode_image, kept_pixel_memory

content = io.BytesIO()
Image.linear_gradient("L").convert("RGB").resize((4000, 3000)).save(content, "JPEG")
data = content.getvalue()
with kept_pixel_memory() if sys.argv[1] == "kept" else contextlib.nullcontext():
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        pixels = decode_image(data, path="x").tobytes()
        num_pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(hashlib.sha256(pixels).hexdigest(), num_pages)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such count")
def test_the_next_image_asks_the_system_for_few_pages_and_the_pixels_are_the_same():
    found = {}
    for mode in ("plain", "kept"):
        command = [sys.executable, "-c", COUNT_PAGES, mode]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[mode] = done.stdout.split()

    (plain, _), (kept, num_pages) = found["plain"], found["kept"]
    assert plain == kept
    # Of 4000 x 3000 x 4 bytes; without it they are all asked for.
    assert int(num_pages) * mmap.PAGESIZE < 48_000_000 / 4
