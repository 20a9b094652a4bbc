"""What is of S3 alone: requests, answers that fail, uploads in parts. The rest: `test_stores.py`."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.record_file import TFRecordFile
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.index import index
from tfrec.source.walk import scan_images
from tfrec.storage import AnyStorage
from tfrec.wire import open_records

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("quick_leases")]

CONFIG = BuildConfig(image=ImageSettings(size=(16, 16)), num_shards=4)
PART_SIZE = 5 << 20  # the least that S3 takes


@pytest.fixture
def photos(s3_url, put_images):
    return put_images(s3_url)


@pytest.fixture
def proxy(s3_endpoint, s3_url, monkeypatch):
    """A proxy before the server, through which all requests go."""
    import s3fs

    path = Path(__file__).parents[1] / "storage" / "faulty_proxy.py"
    spec = importlib.util.spec_from_file_location("faulty_proxy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.FaultyProxy(s3_endpoint) as proxy:
        proxy.fault = module.Fault
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        s3fs.S3FileSystem.clear_instance_cache()
        yield proxy
    s3fs.S3FileSystem.clear_instance_cache()


def storage_write(storage, path, content):
    with storage.publish(path) as stream:
        stream.write(content)


def test_a_killed_build_goes_on_when_its_lock_is_known_to_be_left(photos, s3_url, storage):
    out = f"{s3_url}/out"
    program = (
        "import os, sys; from tfrec.storage import AnyStorage\n"
        "with AnyStorage().exclusive(sys.argv[1]): os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", program, out], check=False)
    locked = [entry.name for entry in storage.scan(s3_url)]

    build(scan_images(photos), out, CONFIG)

    assert ".out.tfrec-lock" in locked
    assert storage.info(f"{out}/dataset.json") is not None
    assert ".out.tfrec-lock" not in [entry.name for entry in storage.scan(s3_url)]


def test_a_record_is_read_alone(photos, s3_url, proxy):
    path = f"{s3_url}/one.tfrecord"
    config = BuildConfig(image=ImageSettings(size=(512, 512)))
    build(scan_images(photos), path, config)
    list(index([path]))
    with AnyStorage().open_read(path) as stream:
        expected = [record.data for record in open_records(stream, path=path)]
    asked = []
    proxy.forward, forward = (
        lambda method, url, headers, body: (
            asked.append(headers.get("Range")) or forward(method, url, headers, body)
        ),
        proxy.forward,
    )

    with TFRecordFile(path) as file:
        asked_before = len(file) and len(asked)
        record = file[7]

    assert expected[7] == record
    (asked_range,) = asked[asked_before:][-1:]
    first, last = map(int, asked_range.removeprefix("bytes=").split("-"))
    assert len(record) + 16 == last - first + 1


@pytest.mark.parametrize("kind", ["500", "503", "reset", "slow"])
def test_a_build_survives_answers_that_fail(photos, s3_url, read_tree, proxy, kind):
    expected = f"{s3_url}/expected"
    build(scan_images(photos), expected, CONFIG)
    proxy.faults = [
        proxy.fault("GET", "list-type=2", kind),
        proxy.fault("HEAD", "photos/a", kind),
        proxy.fault("GET", "photos/a", kind),
        proxy.fault("GET", "photos/b", kind),
        proxy.fault("PUT", "train-00001", kind),
        proxy.fault("PUT", "dataset.json", kind),
    ]

    build(scan_images(photos), f"{s3_url}/out", CONFIG)

    assert [] == proxy.faults
    assert read_tree(expected) == read_tree(f"{s3_url}/out")


@pytest.mark.parametrize("kind", ["500", "503", "reset"])
def test_an_upload_of_several_parts_survives_answers_that_fail(
    s3_url, storage, proxy, monkeypatch, kind
):
    monkeypatch.setattr("tfrec.storage.remote_objects.PART_SIZE", PART_SIZE)
    path = f"{s3_url}/large"
    content = os.urandom(1 << 20) * 16
    seen = set()
    proxy.watch = lambda: seen.add(storage_size(s3_url, proxy))
    proxy.faults = [
        proxy.fault("POST", "uploads", kind),
        proxy.fault("PUT", "partNumber=2", kind),
        proxy.fault("POST", "uploadId", kind),
    ]

    with storage.publish(path) as stream:
        for start in range(0, len(content), 1 << 20):
            stream.write(content[start : start + (1 << 20)])

    assert [] == proxy.faults
    assert {0, len(content)} == seen  # never a part of it
    with storage.open_read(path) as stream:
        assert content == stream.read()


def storage_size(s3_url, proxy):
    """Ask the server itself, beside the proxy's own requests."""
    status, headers, _ = proxy.forward("HEAD", f"/{s3_url[5:]}/large", {}, b"")
    return int(dict(headers)["Content-Length"]) if status == 200 else 0


def test_an_upload_that_is_given_up_leaves_nothing(s3_url, storage, monkeypatch):
    import s3fs

    monkeypatch.setattr("tfrec.storage.remote_objects.PART_SIZE", PART_SIZE)

    with pytest.raises(KeyboardInterrupt), storage.publish(f"{s3_url}/large") as stream:
        stream.write(bytes(16 << 20))
        raise KeyboardInterrupt

    assert [] == list(storage.scan(s3_url))
    assert not s3fs.S3FileSystem().list_multipart_uploads(s3_url[5:])


def test_a_file_that_is_put_again_after_a_lost_answer_is_its_own(s3_url, storage, read_tree, proxy):
    proxy.faults = [proxy.fault("PUT", "dir/x", "lost answer")]

    with storage.publish_directory(f"{s3_url}/dir") as directory:
        storage.write(f"{directory}/x", b"content")

    assert [] == proxy.faults
    assert {"x": b"content"} == read_tree(f"{s3_url}/dir")


def test_a_store_that_fails_for_good_is_an_error_about_the_url(
    photos, s3_url, storage, proxy, monkeypatch
):
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 1)
    proxy.faults = [proxy.fault("PUT", "x", "500") for _ in range(20)]

    with pytest.raises(OSError, match="x") as caught:
        storage_write(storage, f"{s3_url}/x", b"content")

    assert f"{s3_url}/x" == caught.value.filename
    assert storage.info(f"{s3_url}/x") is None


def test_the_marks_of_directories_in_a_console_are_no_files(s3_url, storage):
    import s3fs

    s3fs.S3FileSystem().call_s3("put_object", Bucket=s3_url[5:], Key="photos/", Body=b"")
    storage_write(storage, f"{s3_url}/photos/a", b"")

    assert ["a"] == [entry.name for entry in storage.scan(f"{s3_url}/photos")]


def test_100_000_objects_are_listed_within_a_minute(s3_url, storage, proxy):
    """The pages are made here: the server sorts all of its objects for each of them."""
    asked = []

    def answer(_method, url, _headers, _body):
        asked.append(url)
        start = int(parse_qs(urlsplit(url).query).get("continuation-token", ["0"])[0])
        return 200, [("Content-Type", "application/xml")], list_page(start, 100_000).encode()

    proxy.forward = answer
    start = time.monotonic()
    names = [entry.name for entry in storage.scan(f"{s3_url}/many")]

    num_asked = len(asked)
    first = next(storage.scan(f"{s3_url}/many"))

    assert [f"{number:06}.jpg" for number in range(100_000)] == names
    assert 100 == num_asked
    assert ("000000.jpg", 101) == (first.name, len(asked))  # a page is enough for the first name
    assert time.monotonic() - start < 60


def list_page(start, end):
    """Return the answer of S3 with the thousand objects from `start` on."""
    objects = "".join(
        f"<Contents><Key>many/{number:06}.jpg</Key><Size>5</Size><ETag>e</ETag>"
        "<LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
        for number in range(start, start + 1000)
    )
    following = start + 1000
    more = (
        f"<IsTruncated>true</IsTruncated><NextContinuationToken>{following}</NextContinuationToken>"
        if following < end
        else "<IsTruncated>false</IsTruncated>"
    )
    return f"<ListBucketResult><KeyCount>1000</KeyCount>{more}{objects}</ListBucketResult>"
