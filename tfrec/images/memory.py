"""The memory of decoded pixels: kept from one image to the next.

Pillow gives the pixels of each image back to the system, which hands out zeroed pages for the next
one: 40 of 170 ms of CPU for a photo of 12 megapixels. Its own store of blocks keeps them instead
(https://pillow.readthedocs.io/en/stable/reference/block_allocator.html). The store shrinks a block
to what is asked for, and so gives back the rest; small blocks lose little by that.
"""

import contextlib
import threading
from collections.abc import Iterator

from PIL import Image

_BLOCK_SIZE = 256 << 10  # bytes
_MAX_BLOCKS = 256  # 64 MiB: one photo of 16 megapixels

_lock = threading.Lock()


@contextlib.contextmanager
def kept_pixel_memory() -> Iterator[None]:
    """Have Pillow keep the memory of pixels until the block ends, then give it back.

    Holds for the whole process, and changes no pixel. A user's own number of blocks
    (`PILLOW_BLOCKS_MAX`) stays; so does the setting of another such block, around or beside it.
    """
    core = Image.core  # type: ignore[attr-defined] # documented, and left out of Pillow's types
    with _lock:
        is_set = core.get_blocks_max() > 0
        size = core.get_block_size()
        if not is_set:
            core.set_block_size(_BLOCK_SIZE)
            core.set_blocks_max(_MAX_BLOCKS)
    try:
        yield
    finally:
        if not is_set:
            with _lock:
                core.set_blocks_max(0)  # which frees what is kept
                core.set_block_size(size)
