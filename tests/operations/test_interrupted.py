"""Builds that end between any two of their writes, and are run again."""

import hashlib
import json

import pytest


@pytest.fixture
def bench(make_mortal_bench):
    return make_mortal_bench()


def deaths(bench, **settings):
    """Yield after a build was killed at each of its writes; each time the files are as before."""
    before = dict(bench.files)
    for is_late in (False, True):
        for num_writes in range(1, 200):
            bench.files.clear()
            bench.files.update(before)
            bench.storage.num_writes, bench.storage.is_late = num_writes, is_late
            try:
                bench.build(**settings)
            except bench.killed:
                bench.storage.num_writes = None
                yield num_writes
            else:
                break
    bench.storage.num_writes = None


def is_whole(tree):
    """Say whether a directory holds what its manifest says; one without a manifest says nothing."""
    if "dataset.json" not in tree:
        return True
    splits = json.loads(tree["dataset.json"])["splits"].values()
    shards = [shard for split in splits for shard in split["shards"]]
    return all(
        shard["name"] in tree and hashlib.sha256(tree[shard["name"]]).hexdigest() == shard["sha256"]
        for shard in shards
    )


LAYOUT = {"num_shards": 4, "index": True}


def test_a_first_build_goes_on_wherever_it_was_killed(bench):
    expected = bench.fresh(**LAYOUT)
    all_deaths = []
    for num_writes in deaths(bench, **LAYOUT):
        all_deaths.append(num_writes)
        bench.build(**LAYOUT)

        assert expected == bench.tree()
    assert max(all_deaths) > 4 + 4 + 4  # shards, their lines in the journal, their indexes


def test_a_rebuild_goes_on_wherever_it_was_killed(bench):
    bench.build(num_shards=3, schema="kaggle")
    expected = bench.fresh(**LAYOUT)
    for _ in deaths(bench, **LAYOUT):
        assert is_whole(bench.tree())
        bench.build(**LAYOUT)

        assert expected == bench.tree()


def test_a_change_of_few_images_goes_on_wherever_it_was_killed(bench):
    bench.build(**LAYOUT)
    bench.files["in/a/00.png"] = bench.png(100, 0, 0)
    bench.files["in/b/05.png"] = bench.png(101, 0, 0)
    expected = bench.fresh(**LAYOUT)
    for _ in deaths(bench, **LAYOUT):
        assert is_whole(bench.tree())
        bench.build(**LAYOUT)

        assert expected == bench.tree()


def test_another_build_than_the_killed_one_leaves_nothing_of_it(bench):
    expected = bench.fresh(num_shards=2)
    for _ in deaths(bench, **LAYOUT):
        bench.build(num_shards=2)

        assert expected == bench.tree()


def test_finished_shards_are_not_written_again(bench):
    journal = "out/.tfrec-journal"
    for _ in deaths(bench, **LAYOUT):
        lines = bench.files.get(journal, b"").splitlines()
        finished = {json.loads(line)["name"] for line in lines if b'"name":' in line}

        assert not finished & set(bench.build(**LAYOUT).written)


def test_a_torn_line_of_the_journal_counts_for_nothing(bench):
    expected = bench.fresh(**LAYOUT)
    for num_writes in (6, 8):
        bench.storage.num_writes = num_writes
        with pytest.raises(bench.killed):
            bench.build(**LAYOUT)
        bench.storage.num_writes = None
        bench.files["out/.tfrec-journal"] = bench.files["out/.tfrec-journal"][:-9]

        report = bench.build(**LAYOUT)

        assert expected == bench.tree()
        assert report.written
        for name in bench.tree():
            del bench.files[f"out/{name}"]


def test_a_journal_of_rubbish_is_read_over(bench):
    bench.files["out/.tfrec-journal"] = b'\xff\x00\n[1]\n{"name": 3}\n{"names": 7}\n"x"\n{'
    expected = bench.fresh(**LAYOUT)

    bench.build(**LAYOUT)

    assert expected == bench.tree()


def test_a_build_that_was_killed_shows_no_file(bench):
    for _ in deaths(bench, **LAYOUT):
        tree = bench.tree()
        visible = [name for name in tree if not name.startswith(".")]

        assert not visible or len([name for name in tree if name.endswith("-new")]) < 4
        assert is_whole(tree)
