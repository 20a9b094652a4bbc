import re
from fractions import Fraction
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ConfigError, SourceError
from tfrec.source.image_source import ImageSource
from tfrec.source.labels import LabelMap
from tfrec.source.splits import SplitSpec, assign_splits, shuffle_key, split_by_folder
from tfrec.source.walk import scan_images
from tfrec.storage import MemoryStorage

THREE = SplitSpec.parse("train=0.8,validation=0.1,test=0.1")


def make_source(**num_images):
    """Return a source with so many images a class, named `cat/0.png` and so on."""
    paths = [tuple(sorted(f"{name}/{i}.png" for i in range(n))) for name, n in num_images.items()]
    return ImageSource("photos", LabelMap(tuple(num_images)), tuple(paths))


def sizes_of(splits):
    return {name: [len(paths) for paths in part.paths] for name, part in splits.items()}


def paths_of(source):
    return {path for paths in source.paths for path in paths}


@pytest.mark.parametrize(
    ("text", "names", "sizes"),
    [
        (
            "train=0.8,validation=0.1,test=0.1",
            ("train", "validation", "test"),
            ("4/5", "1/10", "1/10"),
        ),
        ("a=1/3,b=2/3", ("a", "b"), ("1/3", "2/3")),
        ("a=.25, b=rest", ("a", "b"), ("1/4", "3/4")),
        ("a=0.5,b=0.5,c=rest", ("a", "b", "c"), ("1/2", "1/2", "0")),
        ("train=1", ("train",), ("1",)),
        ("train=1.0,test=0", ("train", "test"), ("1", "0")),
        ("a-1=0.5,b_2=0.5", ("a-1", "b_2"), ("1/2", "1/2")),
    ],
)
def test_fractions_are_read_exactly(text, names, sizes):
    spec = SplitSpec.parse(text)

    assert (names, tuple(map(Fraction, sizes))) == (spec.names, spec.sizes)
    assert spec.is_by_fraction


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("a=800,b=200", (800, 200)),
        ("a=rest,b=5", (None, 5)),
        ("a=rest", (None,)),
        ("a=1,b=1", (1, 1)),
    ],
)
def test_whole_numbers_are_images(text, sizes):
    spec = SplitSpec.parse(text)

    assert sizes == spec.sizes
    assert not spec.is_by_fraction


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`` is no name"),
        ("train", "the size of `train` is ``"),
        ("train=0.8,", "`` is no name"),
        ("tr ain=1", "`tr ain` is no name"),
        ("a/b=1", "`a/b` is no name"),
        ("a=0.8,b=0.1", "add up to 0.9, and must to 1"),
        ("a=0.8,b=0.3", "add up to 1.1"),
        ("a=0.8,b=0.3,c=rest", "add up to 1.1"),
        ("a=0.5,b=5", "add up to 5.5"),
        ("a=-1,b=2", "the size of `a` is `-1`"),
        ("a=nan", "the size of `a` is `nan`"),
        ("a=1/0", "the size of `a` is `1/0`"),
        ("a=1e999999999", "the size of `a` is"),
        ("a=0.5,a=0.5", "`a` is named twice"),
        ("a=rest,b=rest", "only one"),
    ],
)
def test_a_faulty_specification_is_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        SplitSpec.parse(text)


def test_each_class_is_divided_by_the_shares():
    splits = assign_splits(make_source(cat=90, dog=10, eel=20), THREE)

    assert {"train": [72, 8, 16], "validation": [9, 1, 2], "test": [9, 1, 2]} == sizes_of(splits)


def test_each_class_is_within_one_image_of_its_share_and_so_is_each_split():
    splits = assign_splits(make_source(**{f"c{i:03}": 5 for i in range(100)}), THREE)

    sizes = sizes_of(splits)
    assert [400, 50, 50] == [sum(row) for row in sizes.values()]
    assert {4} == set(sizes["train"])
    assert {0, 1} == set(sizes["validation"]) == set(sizes["test"])


def test_numbers_of_images_are_met_exactly():
    splits = assign_splits(make_source(cat=7, dog=5, eel=3), SplitSpec.parse("a=4,b=rest,c=4"))

    assert [4, 7, 4] == [part.num_images for part in splits.values()]


@pytest.mark.parametrize("text", ["a=8,b=7", "a=8,b=7,c=rest"])
def test_numbers_of_images_may_leave_no_rest(text):
    splits = assign_splits(make_source(cat=15), SplitSpec.parse(text))

    assert [8, 7] == [part.num_images for part in splits.values()][:2]


@pytest.mark.parametrize("text", ["a=4,b=4", "a=20,b=rest", "a=7,b=9"])
def test_numbers_of_images_that_do_not_fit_are_refused(text):
    with pytest.raises(ConfigError, match="there are 15"):
        assign_splits(make_source(cat=15), SplitSpec.parse(text))


def test_parts_keep_all_labels_and_the_order_of_bytes():
    source = make_source(cat=12, dog=1)

    splits = assign_splits(source, SplitSpec.parse("a=0.5,b=0.5"), seed=3)

    for part in splits.values():
        assert source.labels == part.labels
        assert all(list(paths) == sorted(paths) for paths in part.paths)
    assert paths_of(source) == paths_of(splits["a"]) | paths_of(splits["b"])
    assert not paths_of(splits["a"]) & paths_of(splits["b"])


def test_an_empty_split_is_noted():
    splits = assign_splits(make_source(cat=3), SplitSpec.parse("a=1,b=0"))

    assert ["the split `b` has no image"] == [note.sentence for note in splits["b"].notes]
    assert () == splits["a"].notes


def hash_by_hand(text, seed, purpose):
    key = seed.to_bytes(8, "little", signed=True)
    return blake2b(text, digest_size=8, key=key, person=purpose).hexdigest()


def test_order_keys_are_these_for_ever():
    assert "fecf7a11398be611" == shuffle_key("cat/1.png", 0).hex()
    assert "55f9f7da9cd8d2b8" == shuffle_key("cat/1.png", 7).hex()
    assert "55cd9fc10f95d4ef" == shuffle_key("cat/\udcff.png", 0).hex()
    assert hash_by_hand(b"dog/2.png", -5, b"tfrec order") == shuffle_key("dog/2.png", -5).hex()


def test_the_images_with_the_lowest_hashes_come_into_the_first_split():
    source = make_source(cat=10)
    by_hash = sorted(
        paths_of(source), key=lambda path: hash_by_hand(path.encode(), 4, b"tfrec split")
    )

    splits = assign_splits(source, SplitSpec.parse("a=3,b=rest"), seed=4)

    assert set(by_hash[:3]) == paths_of(splits["a"])


def test_exact_splits_are_these_for_ever():
    splits = assign_splits(make_source(cat=10), THREE)

    # The hashes of 7, 9, 4, 0, 8, 2, 3, 6, 5, 1 ascend, as another BLAKE2b program says.
    assert {"cat/5.png"} == paths_of(splits["validation"])
    assert {"cat/1.png"} == paths_of(splits["test"])


def test_stable_splits_are_these_for_ever():
    splits = assign_splits(
        make_source(cat=10), SplitSpec.parse("a=0.2,b=0.2,c=0.6"), method="stable"
    )

    # Hashes as fractions of 2**64: 0: 0.105, 1: 0.713, 2: 0.271, 3: 0.330, 4: 0.037, 5: 0.468,
    # 6: 0.411, 7: 0.001, 8: 0.216, 9: 0.003.
    assert {f"cat/{i}.png" for i in (0, 4, 7, 9)} == paths_of(splits["a"])
    assert {f"cat/{i}.png" for i in (2, 3, 8)} == paths_of(splits["b"])
    assert {f"cat/{i}.png" for i in (1, 5, 6)} == paths_of(splits["c"])


@given(before=st.integers(0, 30), more=st.integers(0, 30), seed=st.integers(-(2**63), 2**63 - 1))
def test_stable_splits_never_move_an_image(before, more, seed):
    few = assign_splits(make_source(cat=before, dog=1), THREE, seed=seed, method="stable")

    many = assign_splits(make_source(cat=before + more, dog=1), THREE, seed=seed, method="stable")

    assert all(paths_of(few[name]) <= paths_of(many[name]) for name in THREE.names)


def test_stable_splits_of_many_images_come_near_their_shares():
    splits = assign_splits(make_source(cat=10_000), THREE, method="stable")

    # Five standard deviations of a binomial: 5 * sqrt(10,000 * 0.8 * 0.2) = 200, for 0.1: 150.
    assert abs(splits["train"].num_images - 8000) < 200
    assert abs(splits["test"].num_images - 1000) < 150


def test_stable_splits_need_fractions():
    with pytest.raises(ConfigError, match="fractions"):
        assign_splits(make_source(cat=3), SplitSpec.parse("a=2,b=rest"), method="stable")


def test_another_seed_gives_other_splits():
    source = make_source(cat=100)

    parts = {tuple(assign_splits(source, THREE, seed=seed)["test"].paths[0]) for seed in range(20)}

    assert 20 == len(parts)


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1])
def test_a_seed_of_more_than_64_bits_is_refused(seed):
    with pytest.raises(ConfigError, match=str(seed)):
        shuffle_key("a", seed)


@pytest.mark.parametrize("method", ["exact", "stable"])
@given(
    groups=st.lists(st.tuples(st.sampled_from(["cat", "dog"]), st.integers(0, 9)), min_size=1),
    seed=st.integers(0, 99),
)
def test_a_group_is_never_in_two_splits(method, groups, seed):
    cats, dogs = (
        tuple(sorted(f"{name}/p{p}_{i}.png" for i, (n, p) in enumerate(groups) if n == name))
        for name in ("cat", "dog")
    )
    source = ImageSource("photos", LabelMap(("cat", "dog")), (cats, dogs))

    splits = assign_splits(source, THREE, seed=seed, method=method, group_by=re.compile(r"(p\d)_"))

    patients = [{path.split("/")[1][:2] for path in paths_of(part)} for part in splits.values()]
    assert sum(map(len, patients)) == len(set().union(*patients))
    assert paths_of(source) == set().union(*map(paths_of, splits.values()))


def test_groups_of_one_image_are_divided_by_the_shares():
    source = make_source(cat=90, dog=10)

    splits = assign_splits(source, THREE, group_by=re.compile("no such"))

    assert {"train": [72, 8], "validation": [9, 1], "test": [9, 1]} == sizes_of(splits)


def test_groups_of_equal_size_are_divided_by_the_shares():
    source = make_source(cat=100)  # 0.png, 10.png to 19.png, …: groups by the last digit

    splits = assign_splits(source, THREE, group_by=re.compile(r"\d\.png"))

    assert {"train": [80], "validation": [10], "test": [10]} == sizes_of(splits)


def scan(*paths, **options):
    storage = MemoryStorage({f"photos/{path}": b"" for path in paths})
    return scan_images("photos", storage=storage, **options)


def test_top_folders_as_splits_share_one_set_of_labels():
    source = scan(
        *("train/a/1.png", "train/b/2.png", "train/c/3.png", "val/a/4.png", "val/c/5.png"),
        label_rule="second",
    )

    splits = split_by_folder(source)

    assert ["train", "val"] == list(splits)
    assert [("val/a/4.png", 0), ("val/c/5.png", 2)] == [image[:2] for image in splits["val"]]
    assert [("absent class", "b")] == [(note.kind, note.path) for note in splits["val"].notes]
    assert () == splits["train"].notes


def test_top_folders_as_splits_may_take_given_labels():
    source = scan(
        "val/a/1.png", "val/c/2.png", label_rule="second", labels=LabelMap(("a", "b", "c"))
    )

    assert [("val/a/1.png", 0), ("val/c/2.png", 2)] == [
        image[:2] for image in split_by_folder(source)["val"]
    ]


def test_a_folder_whose_name_no_split_can_have_is_refused():
    with pytest.raises(SourceError, match="the folder `my train` can't be a split"):
        split_by_folder(scan("my train/a/1.png", label_rule="second"))


@given(data=st.data())
def test_the_order_of_a_listing_never_matters(data):
    paths = [f"{name}/{i}.png" for name in ("cat", "dog") for i in range(9)]
    shuffled = data.draw(st.permutations(paths))

    splits = [assign_splits(scan(*order), THREE, seed=1) for order in (paths, shuffled)]

    assert splits[0] == splits[1]
