import pytest

from tfrec.source.ignore import (
    OTHER_SUFFIXES,
    Patterns,
    find_junk,
    has_suffix,
    is_image_by_content,
)
from tfrec.storage import MemoryStorage


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".DS_Store", "hidden"),
        (".ipynb_checkpoints", "hidden"),
        (".git", "hidden"),
        ("._a.png", "AppleDouble"),
        ("Thumbs.db", "system file"),
        ("THUMBS.DB", "system file"),
        ("desktop.ini", "system file"),
        ("__MACOSX", "system file"),
        ("@eaDir", "system file"),
        ("$RECYCLE.BIN", "system file"),
        ("System Volume Information", "system file"),
        ("lost+found", "system file"),
        ("Icon\r", "system file"),
        ("a.jpg:Zone.Identifier", "system file"),
    ],
)
def test_knows_what_systems_leave_behind(name, reason):
    assert reason == find_junk(name)


@pytest.mark.parametrize(
    "name", ["cat", "thumbs", "a._b.png", "icon", "recycled", "_cat", "-", "~"]
)
def test_takes_no_ordinary_name_for_junk(name):
    assert find_junk(name) is None


@pytest.mark.parametrize(
    ("name", "is_other"),
    [("a.TXT", True), ("a.tar.gz", True), ("a.json", True), ("txt", False), ("a.txt.png", False)]
    + [(f"a.{suffix}", False) for suffix in ("png", "jpeg", "bin", "pdf", "svg", "psd", "")],
)
def test_suffixes_of_other_things_are_matched_in_any_case_at_the_end(name, is_other):
    assert is_other == has_suffix(name, OTHER_SUFFIXES)


@pytest.mark.parametrize(
    ("patterns", "path", "matches"),
    [
        (["*.png"], "cat/a.png", True),
        (["*.png"], "cat/a.PNG", False),
        (["old"], "cat/old", True),
        (["old"], "cat/older", False),
        (["cat/*"], "cat/2019/a.png", True),
        (["cat/*"], "big/cat/a.png", False),
        (["/cat"], "cat", True),
        (["/cat"], "dog/cat", False),
        (["[ab].png", "c*"], "x/cc", True),
        ([], "cat/a.png", False),
    ],
)
def test_a_pattern_with_a_slash_is_for_the_path_and_others_for_the_name(patterns, path, matches):
    assert matches == Patterns(patterns).match(path, path.rpartition("/")[2])


@pytest.mark.parametrize(
    ("content", "is_image"),
    [(b"\x89PNG\r\n\x1a\n", True), (b"\xff\xd8\xff\xe0", True), (b"a text", False), (b"", False)],
)
def test_an_image_is_known_by_its_first_bytes(content, is_image):
    assert is_image == is_image_by_content("x", storage=MemoryStorage({"x": content}))


def test_what_cannot_be_read_is_tried_as_an_image():
    assert is_image_by_content("missing", storage=MemoryStorage())
