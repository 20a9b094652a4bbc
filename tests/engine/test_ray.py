"""The Ray engine on a cluster of this machine, some of whose nodes and workers die."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from PIL import Image

from tfrec.dataset.plan import BuildConfig
from tfrec.engine import LostTaskError, create_ray_executor
from tfrec.errors import ImageError, WorkerError
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.verify import verify
from tfrec.source.walk import scan_images

pytestmark = [pytest.mark.interop, pytest.mark.timeout(150)]

NUM_IMAGES = 24
NODE = {"node_ip_address": "127.0.0.1", "object_store_memory": 80 << 20}
TINY = ImageSettings(size=(8, 8))


@pytest.fixture
def executor(ray_cluster):
    with create_ray_executor(address=ray_cluster.address) as executor:
        yield executor


@pytest.fixture
def photos(tmp_path):
    for number in range(NUM_IMAGES):
        directory = tmp_path / "photos" / "ab"[number % 2]
        directory.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (number, 9, 9)).save(directory / f"{number:02}.png")
    return str(tmp_path / "photos")


def tree(directory):
    return {file.name: file.read_bytes() for file in directory.iterdir()}


def test_results_and_errors_come_back(executor):
    import ray_tasks

    square, fail = (executor.submit(task, 7) for task in (ray_tasks.square, ray_tasks.fail))

    assert 49 == square.result()
    with pytest.raises(ImageError) as caught:
        fail.result()
    assert ("7.png", "is bad") == (caught.value.path, caught.value.reason)


def test_all_cores_of_the_cluster_are_workers(executor):
    assert 4 == executor.num_workers


def test_a_task_that_ends_its_worker_is_run_three_times(executor, tmp_path):
    log = tmp_path / "log"

    import ray_tasks

    with pytest.raises(LostTaskError, match="the worker died 3 times"):
        executor.submit(ray_tasks.die, str(log)).result()

    assert 3 == len(log.read_text().splitlines())


def test_a_running_task_is_told_to_stop_when_the_block_ends_by_an_error(
    ray_cluster, tmp_path, monkeypatch
):
    monkeypatch.delattr("ray.cancel")  # it can end the driver: see tfrec/engine/ray.py
    began, ended = tmp_path / "began", tmp_path / "ended"
    import ray_tasks

    with (
        pytest.raises(KeyError),
        create_ray_executor(address=ray_cluster.address) as executor,
    ):
        executor.submit(ray_tasks.hold, str(began), str(ended))
        wait_for(began.exists)
        raise KeyError

    assert ended.exists()


def test_a_task_that_begins_after_the_time_to_stop_ends_too(ray_cluster, tmp_path, monkeypatch):
    import ray
    import ray_tasks

    monkeypatch.setattr("tfrec.engine.ray._GRACE_SECONDS", 0.1)
    began, ended, freed = tmp_path / "began", tmp_path / "ended", tmp_path / "freed"
    in_the_way = ray.remote(num_cpus=2)(ray_tasks.wait_for_file)
    others = [in_the_way.remote(str(freed)) for _ in range(2)]  # as another job on the cluster
    wait_for(lambda: ray.available_resources().get("CPU", 0) == 0)

    executor = create_ray_executor(address=ray_cluster.address)
    executor.submit(ray_tasks.hold, str(began), str(ended))
    executor.shutdown(cancel_futures=True)
    freed.touch()

    ray.get(others)
    wait_for(ended.exists)


def test_executors_of_one_process_share_a_cluster_until_the_last_ends():
    result = subprocess.run(
        [sys.executable, "-c", SHARERS], capture_output=True, text=True, check=True, timeout=100
    )

    assert "[8, 16, 8]\nFalse\n[8]\nFalse\n" == result.stdout


SHARERS = """
import ray
from tfrec.engine import create_ray_executor

first, second = create_ray_executor(1), create_ray_executor(1)
results = [executor.submit(pow, 2, 3 + number).result() for number, executor in
           enumerate((first, second))]
first.shutdown()
first.shutdown()
results.append(second.submit(pow, 2, 3).result())
second.shutdown(cancel_futures=True)
second.shutdown()
print(results)
print(ray.is_initialized())
with create_ray_executor(1) as third:
    print([third.submit(pow, 2, 3).result()])
    ray.shutdown()
print(ray.is_initialized())
"""


def test_a_build_has_the_bytes_of_one_machine_though_a_node_dies(
    ray_cluster, executor, photos, tmp_path
):
    node = ray_cluster.add_node(num_cpus=2, **NODE)
    ray_cluster.wait_for_nodes()
    config = BuildConfig(image=TINY, num_shards=NUM_IMAGES)
    source = scan_images(photos)
    build(source, str(tmp_path / "expected"), config)
    done = threading.Semaphore(0)

    def kill_node():
        for _ in range(4):
            done.acquire()
        ray_cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill_node)
    killer.start()
    build(source, str(tmp_path / "out"), config, engine=executor, advance=lambda _: done.release())
    killer.join()

    assert tree(tmp_path / "expected") == tree(tmp_path / "out")


def test_a_shard_that_ends_its_workers_is_named(executor, photos, tmp_path):
    config = BuildConfig(image=TINY, num_shards=4, schema="ray_tasks:SCHEMA")
    source = scan_images(photos)

    with pytest.raises(WorkerError, match=r"train-00001-of-00004\.tfrecord: the worker died 3"):
        build(source, str(tmp_path / "out"), config, engine=executor)


def test_a_shard_that_ends_its_workers_is_left_out_where_that_is_allowed(
    executor, photos, tmp_path
):
    config = BuildConfig(image=TINY, num_shards=4, schema="ray_tasks:SCHEMA", on_error="skip")

    report = build(scan_images(photos), str(tmp_path / "out"), config, engine=executor)

    assert [6, 0, 6, 6] == [shard.num_records for shard in report.manifest.shards]
    assert [f"a/{number:02}.png" for number in range(12, 24, 2)] == [
        image.path for image in report.skipped
    ]
    assert {"the worker died 3 times while it wrote train-00001-of-00004.tfrecord"} == {
        image.reason for image in report.skipped
    }
    assert [()] * 4 == [file.faults for file in verify([str(tmp_path / "out")])]


def test_files_are_verified_on_the_cluster(executor, photos, tmp_path):
    out = str(tmp_path / "out")
    build(scan_images(photos), out, BuildConfig(image=TINY, num_shards=4), engine=executor)

    reports = list(verify([out], engine=executor))

    assert list(verify([out])) == reports
    assert [6] * 4 == [report.num_records for report in reports]


def test_a_build_whose_driver_is_killed_goes_on(ray_cluster, photos, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "tfrec", "build", photos, str(out), "--size", "8"]
    options = ["--num-shards", "24", "--engine", "ray", "--ray-address", ray_cluster.address]
    journal = out / ".tfrec-journal"

    driver = subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL)
    wait_for(lambda: journal.exists() and journal.read_bytes().count(b'"sha256"') >= 3)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    was_finished = (out / "dataset.json").exists()
    again = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    subprocess.run([*command[:5], str(tmp_path / "one"), *command[6:], *options[:2]], check=True)

    assert tree(tmp_path / "one") == tree(out)
    assert was_finished or "kept as they were" in again.stdout


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, "interrupted; the same command goes on from the files that are finished"),
        (signal.SIGTERM, None),
    ],
)
def test_an_interrupted_build_ends_as_on_one_machine(ray_cluster, photos, tmp_path, number, words):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "tfrec", "build", photos, str(out), "--size", "2000"]
    options = ["--num-shards", "24", "--engine", "ray", "--ray-address", ray_cluster.address]
    journal = out / ".tfrec-journal"

    driver = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: journal.exists() and b'"sha256"' in journal.read_bytes())
    driver.send_signal(number)
    _, found = driver.communicate()

    assert 128 + number == driver.returncode
    assert words is None or found.splitlines()[-1] == words  # Ray may say something before
    assert "Traceback" not in found
    assert "SIGTERM received" not in found  # its own handler prints the stack
    assert [] == [name for name in os.listdir(out) if name.endswith(".tfrec-tmp")]


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
