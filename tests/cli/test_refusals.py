"""Arguments and options that nothing good can come of are refused before anything is written."""

import json
import os

import pytest


def left(tmp_path):
    return sorted(os.listdir(tmp_path))


class TestPlaces:
    @pytest.mark.parametrize("command", ["build", "dump"])
    def test_an_empty_name_is_no_output(self, tfrec, pets, tmp_path, command):
        tfrec("build", pets, "x.tfrecord")
        before = left(tmp_path)

        done = tfrec(command, pets if command == "build" else "x.tfrecord", "")

        assert 2 == done.code
        assert "is empty" in done.err
        assert before == left(tmp_path)

    @pytest.mark.parametrize("out", ["pets", "pets/", "pets/out", "pets/cat/out", "link/out"])
    def test_a_dataset_among_the_classes_is_refused(self, tfrec, pets, tmp_path, out):
        os.symlink("pets", tmp_path / "link")

        done = tfrec("build", pets, out, "--overwrite")

        assert 2 == done.code
        assert f"the dataset {out} is inside of pets, and would be a class" in (done.err)
        assert ["cat", "dog"] == left(tmp_path / "pets")

    def test_a_table_names_its_images_so_the_dataset_may_be_among_them(self, tfrec, pets, save):
        save("table.csv", b"path,label\ncat/a.png,cat\n")

        done = tfrec("build", pets, "pets/out", "--csv", "table.csv")

        assert 0 == done.code

    @pytest.mark.parametrize("command", [("build", "pets", "out.tfrecord"), ("check", "pets")])
    def test_a_quarantine_among_the_classes_is_refused(self, tfrec, pets, tmp_path, command):
        done = tfrec(*command, "--quarantine", "pets/bad")

        assert 2 == done.code
        assert "the quarantine pets/bad is inside of pets" in done.err
        assert ["pets"] == left(tmp_path)

    def test_an_index_among_the_images_is_no_image(self, tfrec, pets):
        for _ in range(2):
            done = tfrec("build", pets, "pets/cat/out.tfrecord", "--index")

            assert 0 == done.code

    def test_a_foreign_file_where_the_manifest_would_be_is_kept(self, tfrec, pets, save, tmp_path):
        save("out.tfrecord.json", b'{"mine": 1}')

        done = tfrec("build", pets, "out.tfrecord")

        assert (2, b'{"mine": 1}') == (done.code, (tmp_path / "out.tfrecord.json").read_bytes())
        assert done.err.endswith(
            "error: out.tfrecord.json exists and was not built by tfrec; `--overwrite` replaces "
            "it\n"
        )
        assert ["out.tfrecord.json", "pets"] == left(tmp_path)

    @pytest.mark.parametrize("report", ["out.tfrecord", "./out.tfrecord", "out.tfrecord.json"])
    def test_a_report_does_not_replace_the_dataset(self, tfrec, pets, tmp_path, report):
        done = tfrec("build", pets, "out.tfrecord", "--report", report)

        assert 2 == done.code
        assert f"`--report {report}` would replace the dataset" in done.err
        assert ["pets"] == left(tmp_path)


class TestContradictions:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--check", "--dry-run"), "`--check` and `--dry-run` contradict each other"),
            (("--check", "--report", "r.json"), "`--check` and `--report` contradict"),
            (("--dry-run", "--quarantine", "q"), "`--dry-run` and `--quarantine` contradict"),
            (("--split-from-dirs", "--label-from", "leaf"), "leave out `--label-from`"),
        ],
    )
    def test_both_cannot_be_had(self, tfrec, pets, tmp_path, options, words):
        done = tfrec("build", pets, "out", *options)

        assert 2 == done.code
        assert words in done.err
        assert ["pets"] == left(tmp_path)

    @pytest.mark.parametrize(("suffix", "first"), [(".gz", b"\x1f\x8b"), (".zz", b"\x78")])
    def test_the_suffix_decides_the_compression(self, tfrec, pets, tmp_path, suffix, first):
        done = tfrec("build", pets, f"out.tfrecord{suffix}")

        assert 0 == done.code
        assert (tmp_path / f"out.tfrecord{suffix}").read_bytes().startswith(first)

        refused = tfrec("build", pets, f"out.tfrecord{suffix}", "--compression", "none")

        assert 2 == refused.code
        assert "give another name or the compression" in refused.err


class TestValues:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--shard-size", "9" * 400), "is no size"),
            (("--shard-size", "1e400"), "is no size"),
            (("--size", "\u0661\u0662"), "is no size"),
            (("--size", "0"), "is no size"),
            (("--label-offset", str(2**63 - 1)), "labels are numbers of 64 bits"),
            (("--label-offset", "9" * 30), "labels are numbers of 64 bits"),
            (("--feature", b"\xff=1"), "this one is no UTF-8"),
        ],
    )
    def test_a_value_out_of_range_is_refused(self, tfrec, pets, tmp_path, options, words):
        done = tfrec("build", pets, "out", *options)

        assert 2 == done.code
        assert words in done.err
        assert ["pets"] == left(tmp_path)

    def test_the_last_label_of_64_bits_is_one(self, tfrec, pets):
        done = tfrec("build", pets, "out.tfrecord", "--label-offset", str(2**63 - 2), "--json")

        assert 0 == done.code
        assert 2**63 - 1 == json.loads(done.out)["labels"]["dog"]


def test_check_has_its_result_as_json(tfrec, pets):
    tfrec("build", pets, "out.tfrecord")
    same = tfrec("build", pets, "out.tfrecord", "--check", "--json")
    other = tfrec("build", pets, "out.tfrecord", "--check", "--json", "--grayscale")

    assert (0, 1) == (same.code, other.code)
    assert {"path": "out.tfrecord", "is_up_to_date": True, "reasons": []} == json.loads(same.out)
    assert not json.loads(other.out)["is_up_to_date"]


@pytest.mark.parametrize("command", ["dump", "reshard"])
@pytest.mark.parametrize("paths", [[], ["dataset"]])
def test_a_command_without_out_says_that_it_needs_it(tfrec, command, paths):
    done = tfrec(command, *paths)

    assert 2 == done.code
    assert "error: give what is to be read and, after it, OUT: where it goes\n" in done.err
