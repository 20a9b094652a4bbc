"""Which file holds which images, and which settings contradict each other."""

import re
from fractions import Fraction

import pytest

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.plan import plan_build
from tfrec.errors import ConfigError, SourceError
from tfrec.images import ImageSettings
from tfrec.source.image_source import ImageSource
from tfrec.source.labels import LabelMap


def make_source(counts, **values):
    """`counts` images of each class, named `<class>/<number>.png`."""
    paths = tuple(
        tuple(f"{name}/{number:04}.png" for number in range(count))
        for name, count in counts.items()
    )
    return ImageSource("photos", LabelMap(tuple(counts)), paths, **values)


def layout(plan):
    return {shard.name: [image.path for image in shard.images] for shard in plan.shards}


def plan(source, **settings):
    return plan_build(source, BuildConfig(**settings), file_name=None)


class TestSorted:
    def test_ten_images_in_four_shards_are_3_3_2_2(self):
        lengths = [len(s.images) for s in plan(make_source({"a": 10}), num_shards=4).shards]

        assert [3, 3, 2, 2] == lengths

    def test_there_are_no_more_shards_than_images(self):
        assert ["train-00000-of-00002.tfrecord", "train-00001-of-00002.tfrecord"] == list(
            layout(plan(make_source({"a": 2}), num_shards=8))
        )

    def test_images_come_by_class_and_path(self):
        found = layout(plan(make_source({"a": 2, "b": 1}), num_shards=1))

        assert {
            "train-00000-of-00001.tfrecord": ["a/0000.png", "a/0001.png", "b/0000.png"]
        } == found

    def test_a_note_says_that_records_are_sorted_by_class(self):
        assert ("records are sorted by class; `--shuffle` mixes them",) == plan(
            make_source({"a": 1, "b": 1})
        ).notes

    def test_one_class_needs_no_such_note(self):
        assert () == plan(make_source({"a": 2})).notes


class TestShuffled:
    def test_every_image_is_in_one_shard(self):
        found = layout(plan(make_source({"a": 50, "b": 50}), num_shards=4, shuffle=True))

        expected = [f"{name}/{number:04}.png" for name in "ab" for number in range(50)]
        assert expected == sorted(path for paths in found.values() for path in paths)

    def test_classes_are_mixed_in_every_shard(self):
        found = layout(plan(make_source({"a": 50, "b": 50}), num_shards=4, shuffle=True))

        assert [{"a", "b"}] * 4 == [{path[0] for path in paths} for paths in found.values()]

    def test_another_seed_gives_another_order(self):
        source = make_source({"a": 20})

        assert layout(plan(source, shuffle=True)) != layout(plan(source, shuffle=True, seed=1))

    def test_an_image_more_changes_one_shard(self):
        settings = {"num_shards": 5, "shuffle": True}
        before = layout(plan(make_source({"a": 200}), **settings))
        after = layout(plan(make_source({"a": 201}), **settings))

        changed = [name for name in before if before[name] != after[name]]
        assert 1 == len(changed)
        assert {"a/0200.png"} == set(after[changed[0]]) - set(before[changed[0]])

    def test_an_empty_shard_is_announced(self):
        found = plan(make_source({"a": 8}), num_shards=8, shuffle=True)

        empty = [shard.name for shard in found.shards if not shard.images]
        assert empty  # 8 keys fall into 8 ranges by chance once in 400 times, and these don't
        assert (f"{len(empty)} of 8 files are empty, the first is {empty[0]}",) == found.notes

    def test_one_file_is_shuffled_too(self):
        source = make_source({"a": 20, "b": 20})
        config = BuildConfig(shuffle=True)

        (shard,) = plan_build(source, config, file_name="x.tfrecord").shards
        assert sorted(source) != list(shard.images)
        assert sorted(source) == sorted(shard.images)


class TestSplits:
    def test_each_split_has_its_own_shards(self):
        found = plan(make_source({"a": 8, "b": 8}), splits="train=0.75,test=0.25", num_shards=2)

        assert {
            "train-00000-of-00002.tfrecord": 6,
            "train-00001-of-00002.tfrecord": 6,
            "test-00000-of-00002.tfrecord": 2,
            "test-00001-of-00002.tfrecord": 2,
        } == {name: len(paths) for name, paths in layout(found).items()}

    def test_folders_can_be_the_splits(self):
        source = ImageSource(
            "photos",
            LabelMap(("cat",)),
            (("test/cat/1.png", "train/cat/2.png", "train/cat/3.png"),),
        )

        assert {
            "test-00000-of-00001.tfrecord": ["test/cat/1.png"],
            "train-00000-of-00001.tfrecord": ["train/cat/2.png", "train/cat/3.png"],
        } == layout(plan(source, split_from_dirs=True))

    def test_what_matches_alike_stays_together(self):
        source = make_source({"a": 100})

        found = plan(source, splits="train=0.5,test=0.5", group_by=r"/00(\d)", num_shards=1)
        groups = [
            {re.search(r"/00(\d)", path)[1] for path in paths} for paths in layout(found).values()
        ]
        assert set("0123456789") == groups[0] | groups[1]
        assert not groups[0] & groups[1]

    def test_a_split_without_images_has_no_file(self):
        found = plan(make_source({"a": 2}), splits="train=rest,test=0")

        assert ["train-00000-of-00001.tfrecord"] == list(layout(found))

    def test_a_stable_split_moves_no_image(self):
        settings = {"splits": "train=0.7,test=0.3", "split_method": "stable", "num_shards": 1}
        before = layout(plan(make_source({"a": 100}), **settings))
        after = layout(plan(make_source({"a": 150}), **settings))

        assert all(set(before[name]) <= set(after[name]) for name in before)


class TestSizes:
    def test_raw_shards_have_about_256_mib(self):
        # 2,730 records of 196,669 bytes are 2.0 times 256 MiB.
        assert 3 == len(plan(make_source({"a": 2740})).shards)
        assert 2 == len(plan(make_source({"a": 2720})).shards)

    def test_a_shard_size_gives_their_number(self):
        # 20 records of 196,669 bytes in files of a million.
        assert 4 == len(plan(make_source({"a": 20}), shard_size=1_000_000).shards)


class TestOneFile:
    @pytest.mark.parametrize(("suffix", "promised"), [(".gz", "gzip"), (".ZZ", "zlib")])
    def test_its_name_promises_a_compression(self, suffix, promised):
        name = f"x.tfrecord{suffix}"

        assert (name,) == tuple(
            shard.name
            for shard in plan_build(
                make_source({"a": 1}), BuildConfig(compression=promised), file_name=name
            ).shards
        )
        with pytest.raises(ConfigError, match=f"promises {promised}, and the compression is none"):
            plan_build(make_source({"a": 1}), BuildConfig(), file_name=name)

    @pytest.mark.parametrize(
        ("settings", "wanted"),
        [
            ({"num_shards": 2}, "2 shards"),
            ({"splits": "train=0.5,test=0.5"}, "several splits"),
            ({"split_from_dirs": True}, "several splits"),
            ({"shard_size": 5000}, "shards of 5,000 bytes"),
        ],
    )
    def test_it_holds_no_shards_and_splits(self, settings, wanted):
        with pytest.raises(
            ConfigError, match=f"x.tfrecord is one file and can't hold {wanted}; give a directory"
        ):
            plan_build(make_source({"a": 3}), BuildConfig(**settings), file_name="x.tfrecord")


class TestLabels:
    def test_imagenet_counts_from_one(self):
        found = plan(make_source({"a": 1, "b": 1}), schema="imagenet")

        assert LabelMap(("a", "b"), 1) == found.labels
        assert [1, 2] == [image.label for shard in found.shards for image in shard.images]

    def test_a_higher_offset_is_kept(self):
        source = ImageSource("photos", LabelMap(("a",), 5), (("a/1.png",),))

        assert 5 == plan(source, schema="imagenet").labels.offset


class TestCompression:
    @pytest.mark.parametrize(("compression", "suffix"), [("gzip", ".gz"), ("zlib", ".zz")])
    def test_it_shows_in_the_names_and_a_note(self, compression, suffix):
        found = plan(make_source({"a": 1}), compression=compression)

        assert [f"train-00000-of-00001.tfrecord{suffix}"] == list(layout(found))
        assert (
            f"TFDS and DALI can't read {compression} files; TensorFlow needs to be told",
        ) == found.notes


class TestContradictions:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"encoding": "jpeg"}, "schema 'raw' does not hold it; the schema 'imagenet' does"),
            ({"schema": "slim", "encoding": "raw"}, "does not hold it; the schema 'raw' does"),
            ({"encoding": "original"}, "the schema 'imagenet' does"),
            ({"encoding": "bmp"}, "must be one of"),
            ({"quality": 90}, "the encoding 'raw' has none"),
            ({"image": ImageSettings(size=None)}, "give one size"),
            ({"image": ImageSettings(resize="fit")}, "give one size"),
            (
                {"schema": "tfds", "encoding": "original", "image": ImageSettings(icc="srgb")},
                "can't convert them to sRGB",
            ),
            (
                {
                    "image": ImageSettings(size=(18919, 18919))
                },  # 3 * 18919 ** 2 is just above 2 ** 30
                "1,073,785,683 bytes, and readers take at most 1,073,741,824 a record",
            ),
            ({"num_shards": 0}, "must be at least 1"),
            ({"shard_size": 0}, "must be at least 1 byte"),
            ({"num_shards": 1, "shard_size": 1}, "give one"),
            ({"compression_level": 10}, "from 0 to 9"),
            ({"compression": "lz4"}, "compression 'lz4': must be one of 'none', 'gzip', 'zlib'"),
            ({"on_error": "ignore"}, "on_error 'ignore': must be one of 'fail', 'skip'"),
            ({"split_method": "x"}, "split_method 'x': must be one of 'exact', 'stable'"),
            ({"index": True, "compression": "gzip"}, "no index of gzip files"),
            ({"group_by": "x"}, "groups need splits"),
            ({"split_method": "stable"}, "stable splits need splits"),
            ({"splits": "a=0.5,b=0.5", "split_from_dirs": True}, "choose one"),
            ({"splits": "a=0.5,b=0.5", "group_by": "("}, "of groups"),
            ({"splits": "a=0.5,b=0.4"}, "add up to 0.9"),
            ({"schema": "x"}, "schema 'x'"),
        ],
    )
    def test_they_are_refused_with_the_remedy(self, settings, message):
        with pytest.raises(ConfigError, match=message):
            BuildConfig(**settings)


class TestRecordSettings:
    @pytest.mark.parametrize(
        "settings",
        [
            {"num_shards": 3},
            {"on_error": "skip"},
            {"shuffle": True},
            {"seed": 7},
            {"splits": "a=1/2,b=1/2"},
            {"index": True},
        ],
    )
    def test_the_layout_is_none_of_them(self, settings):
        assert BuildConfig().record_settings() == BuildConfig(**settings).record_settings()

    @pytest.mark.parametrize(
        "settings",
        [
            {"schema": "tfds"},
            {"image": ImageSettings(size=(32, 32))},
            {"compression": "gzip"},
            {"features": ("a=1",)},
        ],
    )
    def test_what_decides_the_records_is(self, settings):
        assert BuildConfig().record_settings() != BuildConfig(**settings).record_settings()

    def test_the_schemas_own_encoding_is_the_same_as_asking_for_it(self):
        assert (
            BuildConfig(schema="tfds").to_json()
            == BuildConfig(schema="tfds", encoding="jpeg").to_json()
        )


class TestFeatures:
    def table(self, *cells):
        values = {f"a/{number:04}.png": (cell, "x") for number, cell in enumerate(cells)}
        return make_source({"a": len(cells)}, columns=("age", "ward"), values=values)

    def read(self, source, *texts):
        found = plan(source, features=texts)
        return [
            {feature.key: feature.read(image.values) for feature in found.features}
            for shard in found.shards
            for image in shard.images
        ]

    @pytest.mark.parametrize(
        ("text", "kind", "values"),
        [
            ("k=12", "int64", (12,)),
            ("k=-0.5", "float", (-0.5,)),
            ("k=web", "bytes", (b"web",)),
            ("k:bytes=12", "bytes", (b"12",)),
            ("k:float=12", "float", (12.0,)),
            ("k=a=b", "bytes", (b"a=b",)),
            ("k=", "bytes", ()),
            ("k:int64=", "int64", ()),
        ],
    )
    def test_a_value_says_its_kind(self, text, kind, values):
        found = plan(make_source({"a": 1}), features=(text,)).features[0]

        assert ("k", kind, values) == (found.key, found.kind, found.read(()).values)

    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            (("1", "2"), "int64"),
            (("1", "2.5"), "float"),
            (("1", "x"), "bytes"),
            (("1", ""), "int64"),
        ],
    )
    def test_all_cells_of_a_column_say_its_kind(self, cells, kind):
        assert kind == plan(self.table(*cells), features=("age=@age",)).features[0].kind

    def test_each_image_has_the_value_of_its_row(self):
        found = self.read(self.table("31", ""), "age=@age", "site=x")

        assert [((31,), (b"x",)), ((), (b"x",))] == [
            (features["age"].values, features["site"].values) for features in found
        ]

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            (("k",), "give KEY=VALUE"),
            (("=3",), "give KEY=VALUE"),
            (("label=3",), "has a feature `label` already"),
            (("k=1", "k=2"), "has a feature `k` already"),
            (("k=@height",), "no column `height`; it has `age`, `ward`"),
        ],
    )
    def test_other_forms_are_refused(self, texts, message):
        with pytest.raises(ConfigError, match=message):
            plan(self.table("1"), features=texts)

    def test_columns_need_a_table(self):
        with pytest.raises(ConfigError, match="only the table of `--csv` has columns"):
            plan(make_source({"a": 1}), features=("k=@age",))

    def test_a_cell_of_another_kind_is_named(self):
        with pytest.raises(SourceError, match="the value `x` of `a/0001.png` is no int64"):
            plan(self.table("1", "x"), features=("k:int64=@age",))


def test_fractions_of_splits_are_exact_to_an_image_a_class():
    found = plan(make_source({"a": 10, "b": 20, "c": 3}), splits="train=0.8,test=0.2", num_shards=1)

    for name, share in zip("ab", (8, 16), strict=True):
        train = [path for path in layout(found)["train-00000-of-00001.tfrecord"] if path[0] == name]
        assert Fraction(share) == len(train)
