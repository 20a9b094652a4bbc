import os
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ConfigError, SourceError
from tfrec.source.image_source import LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.source.walk import scan_images
from tfrec.storage import MemoryStorage

PNG = b"\x89PNG\r\n\x1a\n"


def storage_of(*paths, content=PNG):
    return MemoryStorage({f"photos/{path}": content for path in paths})


def scan(*paths, **options):
    return scan_images("photos", storage=storage_of(*paths), **options)


def kinds_and_paths(source):
    return [(note.kind, note.path) for note in source.notes]


def test_class_is_the_first_folder_and_classes_are_sorted_by_their_bytes():
    source = scan("steak/1.png", "pizza/2.png", "pizza/10.png")

    assert ("pizza", "steak") == source.labels.names
    assert [("pizza/10.png", 0), ("pizza/2.png", 0), ("steak/1.png", 1)] == [
        image[:2] for image in source
    ]
    assert isinstance(next(iter(source)), LabelledImage)
    assert 3 == source.num_images


def test_ten_comes_before_two_and_a_note_says_so():
    source = scan("2/a.png", "10/a.png", "1/a.png")

    assert ("1", "10", "2") == source.labels.names
    assert [("numeric order", "10")] == kinds_and_paths(source)
    assert "`10` has the number 1" in source.notes[0].sentence


def test_single_digits_need_no_note():
    assert () == scan(*(f"{digit}/a.png" for digit in range(10))).notes


def test_labels_start_at_the_offset():
    source = scan("cat/a.png", "dog/b.png", offset=1)

    assert [1, 2] == [image.label for image in source]


def test_folders_in_a_class_folder_belong_to_the_class():
    source = scan("cat/2019/a.png", "cat/2020/b.png", "dog/c.png")

    assert [("cat/2019/a.png", "cat/2020/b.png"), ("dog/c.png",)] == list(source.paths)
    assert () == source.notes


def test_any_suffix_is_tried():
    source = scan("cat/a", "cat/b.dat", "cat/c.pdf", "cat/d.jpg.bak")

    assert 4 == source.num_images


@pytest.mark.parametrize(
    "junk",
    [
        "__MACOSX/cat/._a.png",
        ".ipynb_checkpoints/a.png",
        "@eaDir/a.png/SYNOPHOTO_THUMB_M.jpg",
        "cat/.ipynb_checkpoints/a.png",
        "cat/deep/__MACOSX/a.png",
        "$RECYCLE.BIN/a.png",
        "cat/._a.png",
        "cat/Thumbs.db",
        "desktop.ini",
    ],
)
def test_junk_is_no_class_and_no_image_at_any_level(junk):
    source = scan(junk, "cat/a.png", "dog/b.png")

    assert ("cat", "dog") == source.labels.names
    assert [("cat/a.png",), ("dog/b.png",)] == list(source.paths)
    assert 1 == sum(source.ignored.values())
    assert () == source.notes


def test_ignored_files_are_counted_by_reason():
    storage = storage_of("cat/a.png", "cat/._a.png", "dog/b.png", "dog/.x", "dog/.y/z.png")
    storage.files |= {"photos/cat/a.txt": b"hello", "photos/README": b"hello"}

    source = scan_images("photos", storage=storage)

    expected = {"AppleDouble": 1, "hidden": 2, "not an image": 1, "outside the class folders": 1}
    assert expected == source.ignored
    assert list(expected) == list(source.ignored)


@pytest.mark.parametrize("suffix", ["txt", "csv", "json", "xml", "zip", "MP4"])
def test_a_file_is_ignored_where_name_and_content_say_it_is_something_else(suffix):
    storage = storage_of("cat/a.png", f"cat/image.{suffix}")
    storage.files[f"photos/cat/other.{suffix}"] = b"something else"

    source = scan_images("photos", storage=storage)

    assert ("cat/a.png", f"cat/image.{suffix}") == source.paths[0]
    assert {"not an image": 1} == source.ignored


def test_images_beside_the_class_folders_are_noted_and_left_out():
    storage = storage_of("a.png", "cat/b.png", "dog/c.png")
    storage.files["photos/README"] = b"text"

    source = scan_images("photos", storage=storage)

    assert ("cat", "dog") == source.labels.names
    assert {"outside the class folders": 1} == source.ignored
    assert [("image outside the class folders", "a.png")] == kinds_and_paths(source)
    assert source.notes[0].is_left_out
    assert 2 == source.num_images


def test_an_image_without_a_suffix_beside_the_class_folders_is_noted_too():
    assert ["a"] == [note.path for note in scan("a", "cat/b.png").notes]


@pytest.mark.parametrize(("paths", "held"), [(["a.png", "b.png"], "2 images"), (["a"], "1 image ")])
def test_images_without_any_folder_are_refused(paths, held):
    with pytest.raises(SourceError, match=f"photos: it holds {held}.* no class folder"):
        scan(*paths)


def test_an_empty_class_keeps_its_number_and_is_noted():
    storage = storage_of("a/1.png", "a/2.png", "c/3.png")
    storage.files["photos/b/notes.txt"] = b"none yet"

    source = scan_images("photos", storage=storage)

    assert ("a", "b", "c") == source.labels.names
    assert [0, 0, 2] == [image.label for image in source]
    assert [("empty class", "b")] == kinds_and_paths(source)
    assert not source.notes[0].is_left_out


def test_splits_taken_for_classes_are_noted():
    source = scan("train/cat/a.png", "train/dog/b.png", "val/cat/c.png", "val/dog/d.png")

    assert [("nested folders", "train")] == kinds_and_paths(source)
    assert "`train`, `val` hold only folders (`cat`, `dog`)" in source.notes[0].sentence


def test_a_folder_too_many_above_the_classes_is_noted_with_what_it_holds():
    source = scan("flowers/rose/a.png", "flowers/daisy/b.png")

    assert "`flowers` hold only folders (`daisy`, `rose`)" in source.notes[0].sentence


@pytest.mark.parametrize(
    ("paths", "is_noted"),
    [
        (["flowers/rose/a.png", "flowers/daisy/b.png"], True),
        (["x/cat/a.png", "y/cat/b.png"], True),
        (["Train/cat/a.png", "other/b.png"], True),
        (["x/cat/a.png", "y/cat/b.png", "z/c.png"], False),
        (["cat/2019/a.png", "dog/2020/b.png"], False),
        (["train/a.png", "truck/b.png"], False),
        (["train/a.png", "train/steam/b.png", "truck/steam/c.png"], False),
    ],
)
def test_folders_are_nested_where_nothing_else_explains_them(paths, is_noted):
    assert is_noted == ("nested folders" in [note.kind for note in scan(*paths).notes])


@pytest.mark.parametrize(("one", "other"), [("Cat", "cat"), ("e\u0301te\u0301", "\u00e9t\u00e9")])
def test_classes_that_look_alike_are_noted(one, other):
    source = scan(f"{one}/a.png", f"{other}/b.png")

    assert [("similar classes", one)] == kinds_and_paths(source)
    assert 2 == len(source.labels)


def test_a_missing_directory_is_refused():
    with pytest.raises(SourceError, match="^nowhere: there is no such directory$"):
        scan_images("nowhere", storage=storage_of("cat/a.png"))


def test_a_file_is_no_directory_of_images():
    with pytest.raises(SourceError, match=r"photos/cat/a.png: it is no directory"):
        scan_images("photos/cat/a.png", storage=storage_of("cat/a.png"))


def test_a_directory_without_images_says_what_was_ignored():
    storage = MemoryStorage({"photos/cat/a.txt": b"text", "photos/dog/.a.png": PNG})

    with pytest.raises(SourceError) as caught:
        scan_images("photos", storage=storage)

    assert (
        "photos: there is no image in the class folders `cat`, `dog` "
        "(ignored: 1 hidden, 1 not an image)" == str(caught.value)
    )


def test_leaf_rule_takes_the_folder_that_holds_the_image():
    source = scan("x/cat/a.png", "y/cat/b.png", "y/dog/c.png", "y/e.png", label_rule="leaf")

    assert ("cat", "dog", "y") == source.labels.names
    assert ("x/cat/a.png", "y/cat/b.png") == source.paths[0]


def test_second_rule_takes_the_folder_below_that_of_the_split():
    source = scan(
        "val/cat/a.png", "train/cat/b.png", "train/dog/x/c.png", "test/d.png", label_rule="second"
    )

    assert ("cat", "dog") == source.labels.names
    assert [("train/cat/b.png", "val/cat/a.png"), ("train/dog/x/c.png",)] == list(source.paths)
    assert [("empty split", "test"), ("image outside the class folders", "test/d.png")] == (
        kinds_and_paths(source)
    )


def test_a_pattern_takes_the_class_from_a_path_in_any_place():
    source = scan("cat_1.png", "more/dog_2.png", "3.png", label_rule=re.compile(r"([a-z]+)_"))

    assert [("cat_1.png", 0), ("more/dog_2.png", 1)] == [image[:2] for image in source]
    assert [("no label", "3.png")] == kinds_and_paths(source)
    assert source.notes[0].is_left_out


def test_a_pattern_without_a_group_is_refused():
    with pytest.raises(ConfigError, match="needs a group"):
        scan("cat_1.png", label_rule=re.compile("cat"))


def test_fixed_labels_keep_their_numbers_where_a_class_is_missing():
    source = scan("a/1.png", "c/2.png", labels=LabelMap(("a", "b", "c")))

    assert [("a/1.png", 0), ("c/2.png", 2)] == [image[:2] for image in source]
    assert () == source.notes


def test_a_class_that_fixed_labels_lack_is_refused_with_its_first_file():
    with pytest.raises(SourceError, match=r"`eel` of `eel/1.png` is not among the 2 labels"):
        scan("cat/a.png", "eel/2.png", "eel/1.png", labels=LabelMap(("cat", "dog")))


def test_a_refusal_lists_the_first_five_labels():
    with pytest.raises(SourceError, match="they are: `b`, `c`, `d`, `e`, `f` and 1 more$"):
        scan("a/1.png", labels=LabelMap(tuple("bcdefg")))
    with pytest.raises(SourceError, match="they are: `b`, `c`, `d`, `e`, `f`$"):
        scan("a/1.png", labels=LabelMap(tuple("bcdef")))


def test_a_refused_class_is_told_the_label_it_resembles():
    with pytest.raises(SourceError, match="similar are: `Cat`$"):
        scan("cat/a.png", labels=LabelMap(("Cat", "dog")))


def test_excluded_folders_are_no_classes_and_excluded_files_no_images():
    source = scan("cat/a.png", "cat/b.tmp", "old/c.png", exclude=["old", "*.tmp"])

    assert [("cat/a.png", 0)] == [image[:2] for image in source]
    assert {"excluded": 2} == source.ignored


def test_include_chooses_files_and_renumbers_no_class():
    source = scan("a/1.jpg", "b/2.png", "b/3.jpg", include=["*.png"])

    assert [("b/2.png", 1)] == [image[:2] for image in source]
    assert [("empty class", "a")] == kinds_and_paths(source)


NAMES = st.text(string.ascii_letters + string.digits + "é犬 -_\udcff", min_size=1, max_size=4)


@given(
    paths=st.sets(st.lists(NAMES, min_size=2, max_size=4).map("/".join), min_size=1, max_size=20),
    data=st.data(),
)
def test_the_order_of_a_listing_never_matters(paths, data):
    # A path can't be a file and a folder at once.
    paths = [p for p in paths if not any(other.startswith(f"{p}/") for other in paths)]
    one = scan(*paths)

    other = scan(*data.draw(st.permutations(paths)))

    assert one == other
    assert sorted(map(os.fsencode, paths)) == sorted(os.fsencode(image.path) for image in other)
    assert sorted({os.fsencode(path).split(b"/")[0] for path in paths}) == (
        list(map(os.fsencode, one.labels.names))
    )
