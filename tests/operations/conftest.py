"""A small image directory in memory, and builds from it."""

import contextlib
import io

import pytest
from PIL import Image

from tfrec.dataset.build_config import BuildConfig
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.outdated import find_outdated
from tfrec.source.walk import scan_images
from tfrec.storage import MemoryStorage


class Killed(BaseException):
    """Stands for the end of the process: nobody catches it, and nothing is tidied up."""


class MortalStorage(MemoryStorage):
    """Dies at its `num_writes`-th change, just before or just after it has been made."""

    def __init__(self, files=None):
        super().__init__(files)
        self.num_writes = None
        self.is_late = False

    @contextlib.contextmanager
    def publish(self, path):
        with super().publish(path) as stream:
            yield stream
            self._count(before=True)
        self._count(before=False)

    def append(self, path, data):
        self._count(before=True)
        super().append(path, data)
        self._count(before=False)

    def rename(self, path, new_path):
        self._count(before=True)
        super().rename(path, new_path)
        self._count(before=False)

    def discard(self, path):
        self._count(before=True)
        super().discard(path)
        self._count(before=False)

    def _count(self, *, before):
        if self.num_writes is None or (before == self.is_late and self.num_writes > 0):
            return
        self.num_writes -= 1
        if self.num_writes <= 0:  # the dead write nothing
            raise Killed


TINY = ImageSettings(size=(2, 2))


class Bench:
    """Images in `storage` below `in`, and datasets beside it."""

    def __init__(self, storage):
        self.storage = storage
        self.files = storage.files

    @staticmethod
    def png(*rgb):
        content = io.BytesIO()
        Image.new("RGB", (2, 2), rgb).save(content, "PNG")
        return content.getvalue()

    def fill(self, classes="ab", number=6):
        for label, name in enumerate(classes):
            for index in range(number):
                self.files[f"in/{name}/{index:02}.png"] = self.png(label, index, 7)

    def config(self, **settings):
        return BuildConfig(**{"image": TINY} | settings)

    def scan(self, **options):
        return scan_images("in", storage=self.storage, **options)

    def build(
        self,
        out="out",
        *,
        engine="threads",
        workers=1,
        overwrite=False,
        label_rule="top",
        **settings,
    ):
        return build(
            self.scan(label_rule=label_rule),
            out,
            self.config(**settings),
            storage=self.storage,
            engine=engine,
            num_workers=workers,
            overwrite=overwrite,
        )

    def check(self, out="out", **settings):
        return find_outdated(
            self.scan(), out, self.config(**settings), storage=self.storage, num_workers=1
        )

    def tree(self, out="out"):
        return {
            path.removeprefix(f"{out}/"): content
            for path, content in self.files.items()
            if path.startswith(f"{out}/")
        }

    def fresh(self, **settings):
        """Return what a build from nothing gives."""
        self.build("fresh", **settings)
        tree = self.tree("fresh")
        for name in tree:
            del self.files[f"fresh/{name}"]
        return tree


@pytest.fixture
def bench():
    bench = Bench(MemoryStorage())
    bench.fill()
    return bench


@pytest.fixture(scope="session")
def make_mortal_bench():
    """Make a bench whose builds can be killed: see `MortalStorage`; `killed` is what they raise."""

    def make_mortal_bench():
        bench = Bench(MortalStorage())
        bench.killed = Killed
        bench.fill()
        return bench

    return make_mortal_bench
