"""Paths that may be URLs, and which storage and driver has them."""

import os
import pickle
import sys

import pytest

from tfrec.errors import ConfigError
from tfrec.storage import AnyStorage, LocalStorage, base_name, join_path, scheme_of, split_path
from tfrec.storage.remote import RemoteStorage


@pytest.mark.parametrize(
    ("path", "scheme"),
    [
        ("s3://bucket/x", "s3"),
        ("GS://bucket/x", "gs"),
        ("/photos/x", None),
        ("photos", None),
        ("C:\\photos", None),
        ("C:/photos", None),
        ("c://photos", None),
        ("a/s3://x", None),
    ],
)
def test_a_url_begins_with_a_scheme_of_two_letters_or_more(path, scheme):
    assert scheme == scheme_of(path)


@pytest.mark.parametrize(
    ("directory", "names", "expected"),
    [
        ("s3://bucket", ("a", "b.png"), "s3://bucket/a/b.png"),
        ("s3://bucket/d/", ("a",), "s3://bucket/d/a"),
        ("memory://", ("a",), "memory://a"),
        ("s3://bucket/d", (), "s3://bucket/d"),
        ("d", ("a", "b"), os.path.join("d", "a", "b")),
    ],
)
def test_names_are_joined_by_what_separates_them_there(directory, names, expected):
    assert expected == join_path(directory, *names)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/d/x", ("s3://bucket/d", "x")),
        ("s3://bucket/x", ("s3://bucket", "x")),
        ("s3://bucket", ("s3://bucket", "")),
        (os.path.join("d", "x"), ("d", "x")),
        ("x", ("", "x")),
    ],
)
def test_a_path_is_a_directory_and_a_name(path, expected):
    assert expected == split_path(path)
    assert expected[1] == base_name(path)


def test_a_path_is_asked_of_the_storage_that_has_it(tmp_path):
    storage = AnyStorage()

    assert isinstance(storage.resolve(str(tmp_path)), LocalStorage)
    assert "RemoteStorage" == type(storage.resolve("s3://bucket")).__name__


def test_both_kinds_are_told_apart_where_one_is_in_another(tmp_path):
    storage = AnyStorage()

    assert storage.contains("s3://bucket/a", "s3://bucket/a/b")
    assert not storage.contains("s3://bucket/a", "s3://bucket/ab")
    assert not storage.contains("s3://bucket/a", str(tmp_path))
    assert not storage.contains(str(tmp_path), "s3://bucket/a")


def test_a_storage_is_sent_to_workers_without_its_connections():
    storage = AnyStorage()
    storage.resolve("s3://bucket")

    assert isinstance(pickle.loads(pickle.dumps(storage)), AnyStorage)


@pytest.mark.parametrize(
    ("url", "extra"),
    [("s3://b/x", "s3"), ("gs://b/x", "gcs"), ("az://b/x", "azure"), ("hdfs://b/x", "remote")],
)
def test_a_missing_driver_is_a_sentence_that_names_the_extra(monkeypatch, url, extra):
    monkeypatch.setitem(sys.modules, "fsspec", None)

    with pytest.raises(ConfigError) as caught:
        AnyStorage().open_read(url)

    assert str(caught.value).startswith(f"{url}: ")
    assert f'`pip install "tfrec-builder[{extra}]"`' in str(caught.value)


def test_a_scheme_that_nobody_knows_is_named():
    pytest.importorskip("fsspec")

    with pytest.raises(ConfigError, match="foo://x: there is no driver for foo:// files"):
        AnyStorage().open_read("foo://x")


def test_what_can_only_be_read_says_so(monkeypatch):
    pytest.importorskip("aiohttp")
    pytest.importorskip("fsspec")

    storage = RemoteStorage()
    monkeypatch.setattr(storage, "_info", lambda _path: None)

    with (
        pytest.raises(OSError, match="can only be read") as caught,
        storage.publish("http://127.0.0.1:1/x") as stream,
    ):
        stream.write(b"content")

    assert "http://127.0.0.1:1/x" == caught.value.filename
