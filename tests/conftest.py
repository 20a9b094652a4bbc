"""Settings of Hypothesis, and where files made by others are."""

import itertools
import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: only what the code does is.
settings.register_profile(
    "tfrec",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.load_profile("tfrec")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what tests start inherits neither


@pytest.fixture(scope="session")
def shared():
    """Return the directory of files made by others, beside the checkout; skip without it."""
    directory = Path(os.environ.get("TFREC_SHARED", Path(__file__).parents[2] / "shared"))
    if not directory.is_dir():
        pytest.skip(f"there is no {directory}")
    return directory


@pytest.fixture(params=["threads", "processes", pytest.param("ray", marks=pytest.mark.interop)])
def engine(request):
    """Return the name of each engine; that of Ray finds a cluster of this machine."""
    if request.param == "ray":
        cluster = request.getfixturevalue("ray_cluster")
        request.getfixturevalue("monkeypatch").setenv("RAY_ADDRESS", cluster.address)
    return request.param


@pytest.fixture(scope="session")
def ray_cluster():
    """Return a Ray cluster on loopback: a node for the driver, and two nodes of two cores."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    tests = Path(__file__).parent
    node = {"node_ip_address": "127.0.0.1", "object_store_memory": 80 << 20}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # else 127.0.0.1 is replaced
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (tests.parent, tests / "engine"))))
        patch.syspath_prepend(str(tests / "engine"))
        from ray.cluster_utils import Cluster  # reads the environment when it is loaded

        cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False, **node},
        )
        for _ in range(2):
            cluster.add_node(num_cpus=2, **node)
        import ray

        # One driver for all tests: the workers of each new one take seconds to start.
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
        yield cluster
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def memory_url():
    """Return the URL of an empty directory in fsspec's memory."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield "memory://root"
    files.store.clear()


@pytest.fixture(scope="session")
def s3_endpoint():
    """Return the address of an S3 server on this machine."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    pytest.importorskip("s3fs")
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_url(s3_endpoint, monkeypatch):
    """Return the URL of an empty bucket, whose server the driver finds in its own way."""
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    files = s3fs.S3FileSystem(use_listings_cache=False)
    bucket = f"bucket-{next(_BUCKET_NUMBERS)}"
    files.mkdir(bucket)
    return f"s3://{bucket}"


_BUCKET_NUMBERS = itertools.count()
