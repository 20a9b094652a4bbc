"""Every image is decoded, and nothing is written."""

from tfrec.operations.check import check


def test_good_images_are_counted_and_bad_ones_named(bench):
    bench.files["in/b/03.png"] = bench.files["in/b/03.png"][:40]
    before = dict(bench.files)
    advanced = []

    report = check(
        bench.scan(), bench.config(), storage=bench.storage, num_workers=2, advance=advanced.append
    )

    assert ({"a": 6, "b": 5}, 11) == (report.images_per_class, report.num_images)
    assert ["b/03.png"] == [error.path for error in report.bad_images]
    assert 12 == sum(advanced)
    assert before == bench.files
