"""Builds on the executors of other projects: Dask's and MPI's."""

import os
import shutil
import subprocess
import sys

import pytest
from PIL import Image

from tfrec.dataset.build_config import BuildConfig
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.source.walk import scan_images

pytestmark = pytest.mark.interop

CONFIG = BuildConfig(image=ImageSettings(size=(8, 8)), num_shards=4)
MPI_PROGRAM = """
import sys
from mpi4py.futures import MPICommExecutor
import tfrec
source, out = tfrec.scan_images(sys.argv[1]), sys.argv[2]
config = tfrec.BuildConfig(image=tfrec.ImageSettings(size=(8, 8)), num_shards=4)
with MPICommExecutor() as executor:
    if executor is not None:
        tfrec.build(source, out, config, engine=executor)
"""


@pytest.fixture
def photos(tmp_path):
    for number in range(12):
        directory = tmp_path / "photos" / "ab"[number % 2]
        directory.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (number, 9, 9)).save(directory / f"{number:02}.png")
    return str(tmp_path / "photos")


@pytest.fixture
def expected(photos, tmp_path):
    build(scan_images(photos), str(tmp_path / "expected"), CONFIG)
    return tree(tmp_path / "expected")


def tree(directory):
    return {file.name: file.read_bytes() for file in directory.iterdir()}


@pytest.mark.filterwarnings("ignore")
def test_an_executor_of_dask_gives_the_same_bytes(photos, tmp_path, expected):
    distributed = pytest.importorskip("distributed")

    with (
        distributed.LocalCluster(
            2, host="127.0.0.1", threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        build(scan_images(photos), str(tmp_path / "out"), CONFIG, engine=client.get_executor())

    assert expected == tree(tmp_path / "out")


def test_an_mpi_executor_gives_the_same_bytes(photos, tmp_path, expected):
    pytest.importorskip("mpi4py")
    search = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    mpiexec = shutil.which("mpiexec", path=search) or pytest.skip("there is no mpiexec")
    program = tmp_path / "program.py"
    program.write_text(MPI_PROGRAM)

    subprocess.run(
        [mpiexec, "-n", "3", sys.executable, program, photos, str(tmp_path / "out")],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert expected == tree(tmp_path / "out")
