"""Real files made by others, and what TensorFlow says of each; skips where they are not."""

import json

import pytest

from tfrec.dataset.opening import open_record_file
from tfrec.operations.inspect import inspect
from tfrec.operations.verify import verify
from tfrec.storage import LocalStorage


@pytest.fixture(scope="module")
def corpus(shared):
    return shared / "corpus" / "tfrecords"


@pytest.fixture(scope="module")
def table(corpus):
    lines = (corpus / "EXPECTED.tsv").read_text().splitlines()
    names, *rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.fixture(scope="module")
def summaries(corpus, table):
    return {row["path"]: next(inspect([str(corpus / row["path"])])) for row in table}


def test_the_table_names_many_files(table):
    assert len(table) >= 50


def test_records_sizes_and_compressions_are_those_of_the_table(table, summaries):
    expected = {
        row["path"]: (int(row["records"]), int(row["bytes"]), row["compression"].lower())
        for row in table
    }

    assert expected == {
        path: (summary.num_records, summary.num_bytes, summary.compression)
        for path, summary in summaries.items()
    }


def test_messages_are_those_of_the_table(table, summaries):
    expected = {row["path"]: row["kind"] for row in table}

    assert expected == {
        path: kind if kind in ("Example", "SequenceExample", "Event") else "other"
        for path, summary in summaries.items()
        for kind in [summary.statistics.kinds.most_common(1)[0][0]]
    }


def as_table_has_it(summary):
    """Return the features in the form of the table: one number, or the lowest and the highest."""
    found = {}
    for key, feature in summary.statistics.features.items():
        (kind,) = feature.kinds
        found[key] = {"type": f"{kind}_list", "n": one_or_both(feature.lengths)}
        if feature.num_records < summary.num_records:
            found[key]["in"] = feature.num_records
        if kind == "bytes" and feature.values.low is not None:
            found[key]["bytes"] = one_or_both(feature.values)
    return found


def one_or_both(values):
    return values.low if values.low == values.high else [values.low, values.high]


def test_features_are_those_of_the_table(table, summaries):
    expected = {
        row["path"]: json.loads(row["features"])
        for row in table
        if row["kind"] in ("Example", "SequenceExample")
    }

    assert expected == {path: as_table_has_it(summaries[path]) for path in expected}


def test_the_values_of_events_are_those_of_the_table(table, summaries):
    expected = {row["path"]: json.loads(row["features"]) for row in table if row["kind"] == "Event"}

    assert expected == {path: summaries[path].statistics.summary_values for path in expected}


def test_no_file_has_a_fault_in_its_records(corpus, table):
    paths = [str(corpus / row["path"]) for row in table]

    faults = {report.path: report.faults for report in verify(paths) if report.faults}

    assert {} == {
        path: found
        for path, found in faults.items()
        if not all("in the first record" in fault.reason for fault in found)
    }


def test_every_record_is_read_with_its_checksum(corpus, table):
    for row in table:
        with open_record_file(str(corpus / row["path"]), LocalStorage()) as opened:
            assert int(row["records"]) == sum(1 for _ in opened.read_records())
