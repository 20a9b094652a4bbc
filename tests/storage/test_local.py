import contextlib
import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from tfrec.storage import Entry, FileInfo, LocalStorage
from tfrec.storage.temporary import exchange
from tfrec.storage.writeback import _load_function, start_writeback

posix = pytest.mark.skipif(sys.platform == "win32", reason="what POSIX systems have")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what Linux has")


@pytest.fixture
def storage():
    return LocalStorage()


def write(storage, path, content=b"content"):
    with storage.publish(os.fspath(path)) as stream:
        stream.write(content)


def names(directory):
    return sorted(os.listdir(directory))


# Temporary files

PROGRAMS = {
    "file": """
with LocalStorage().publish(sys.argv[1]) as stream:
    stream.write(b"by the other process")
    stream.flush()
    wait()
""",
    "directory": """
with LocalStorage().publish_directory(sys.argv[1]) as directory:
    LocalStorage().write(directory + "/inner/x", b"by the other process")
    wait()
""",
    "lock": """
with LocalStorage().exclusive(sys.argv[1]):
    wait()
""",
}
PREAMBLE = """
import sys
from tfrec.storage import LocalStorage

def wait():
    print("waiting", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def other_process(path, kind="file"):
    """Run a process that is in the midst of publishing `path` until its input is closed."""
    command = [sys.executable, "-c", PREAMBLE + PROGRAMS[kind], os.fspath(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"waiting\n"
            yield process
        finally:
            process.kill()


def leave_over(path, kind="file"):
    """Kill a process in the midst of publishing `path`."""
    with other_process(path, kind) as process:
        process.kill()
        process.wait()


def test_a_killed_process_leaves_nothing_at_the_path(tmp_path):
    path = tmp_path / "x"
    leave_over(path)

    assert not path.exists()
    (left_over,) = names(tmp_path)
    assert left_over.startswith(".x.")
    assert left_over.endswith(".tfrec-tmp")


def test_what_a_killed_process_left_is_removed_by_the_next_publish_of_the_name(storage, tmp_path):
    for _ in range(2):
        leave_over(tmp_path / "x")
    assert len(names(tmp_path)) == 1  # the second process removed the first one's

    write(storage, tmp_path / "x")

    assert names(tmp_path) == ["x"]


@posix
def test_what_a_living_process_writes_is_left_alone(storage, tmp_path):
    path = tmp_path / "x"
    with other_process(path) as process:
        write(storage, path, b"by this process")
        between = path.read_bytes()
        process.communicate()

    assert process.returncode == 0
    assert between == b"by this process"
    assert path.read_bytes() == b"by the other process"
    assert names(tmp_path) == ["x"]


@posix
def test_without_locks_nobody_s_file_is_taken_for_left_over(storage, tmp_path, monkeypatch):
    """Some network file systems have no locks: then nobody can know whether the writer lives."""

    def refuse(*args):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    path = tmp_path / "x"
    with other_process(path) as process:
        write(storage, path)
        process.communicate()

    assert process.returncode == 0
    assert path.read_bytes() == b"by the other process"


def test_what_was_left_of_another_name_stays(storage, tmp_path):
    leave_over(tmp_path / "x.y")
    (left_over,) = names(tmp_path)

    for name in ("x", "y", "x.z"):
        write(storage, tmp_path / name)

    assert left_over in names(tmp_path)


def test_files_with_a_similar_name_stay(storage, tmp_path):
    similar = [".x.tfrec-tmp", ".x.0123456789abcdef.tfrec-tmp", "x.0123456789ab.tfrec-tmp"]
    for name in similar:
        (tmp_path / name).touch()

    write(storage, tmp_path / "x")

    assert sorted([*similar, "x"]) == names(tmp_path)


@posix
def test_an_interrupted_process_leaves_nothing(tmp_path):
    with other_process(tmp_path / "x") as process:
        process.send_signal(signal.SIGINT)
        process.communicate()

    assert process.returncode != 0
    assert names(tmp_path) == []


@posix
@pytest.mark.parametrize("publish", ["publish", "publish_directory"])
def test_an_interrupt_right_after_the_creation_leaves_nothing(
    storage, tmp_path, monkeypatch, publish
):
    def interrupt(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr("tfrec.storage.temporary._lock", interrupt)
    with pytest.raises(KeyboardInterrupt), getattr(storage, publish)(str(tmp_path / "x")):
        pass

    assert names(tmp_path) == []


@posix
def test_a_directory_that_a_killed_process_left_is_removed_by_the_next(storage, tmp_path):
    path = tmp_path / "out"
    leave_over(path, "directory")
    (left_over,) = names(tmp_path)

    with storage.publish_directory(str(path)):
        between = names(tmp_path)

    assert left_over not in between
    assert names(tmp_path) == ["out"]


@posix
def test_a_directory_that_a_living_process_fills_is_left_alone(storage, tmp_path):
    path = tmp_path / "out"
    with other_process(path, "directory") as process:
        with storage.publish_directory(str(path)):
            pass
        process.communicate()

    assert process.returncode == 0
    assert (path / "inner" / "x").read_bytes() == b"by the other process"
    assert names(tmp_path) == ["out"]


@posix
def test_a_directory_published_through_a_link_takes_the_place_of_what_it_leads_to(
    storage, tmp_path
):
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")

    with storage.publish_directory(str(tmp_path / "link")) as directory:
        storage.write(storage.join(directory, "x"), b"content")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target" / "x").read_bytes() == b"content"


@posix
def test_a_path_is_held_by_one_process(storage, tmp_path):
    path = str(tmp_path / "out")
    with other_process(path, "lock") as process:
        with pytest.raises(BlockingIOError, match="another tfrec"), storage.exclusive(path):
            pytest.fail("the block is not entered")
        process.kill()
        process.wait()

        with storage.exclusive(path):  # the killed process's lock keeps nobody out
            pass

    assert names(tmp_path) == []


@posix
@pytest.mark.stress
def test_many_processes_publish_one_name(tmp_path):
    """Each removes what it takes for left over, and must take nobody's file for that."""
    program = (
        "import sys\n"
        "from tfrec.storage import LocalStorage\n"
        "for _ in range(300):\n"
        "    with LocalStorage().publish(sys.argv[1]) as stream:\n"
        "        stream.write(sys.argv[2].encode() * 1000)\n"
    )
    path = tmp_path / "x"
    processes = [
        subprocess.Popen([sys.executable, "-c", program, path, str(number)]) for number in range(6)
    ]

    assert [0] * 6 == [process.wait() for process in processes]
    assert path.read_bytes() in [b"%d" % number * 1000 for number in range(6)]
    assert names(tmp_path) == ["x"]


# Links


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(storage, tmp_path):
    target, link = tmp_path / "elsewhere" / "x", tmp_path / "link"
    write(storage, target, b"former")
    link.symlink_to(target)

    write(storage, link, b"new")

    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(target.parent) == ["x"]


@posix
def test_what_a_broken_link_leads_to_is_made(storage, tmp_path):
    (tmp_path / "link").symlink_to("elsewhere")

    write(storage, tmp_path / "link", b"new")

    assert (tmp_path / "elsewhere").read_bytes() == b"new"


@posix
def test_a_link_to_itself_is_refused(storage, tmp_path):
    path = tmp_path / "loop"
    path.symlink_to("loop")

    with pytest.raises(OSError, match="loop"):
        write(storage, path)

    assert path.is_symlink()


@posix
def test_scan_tells_where_links_lead(storage, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    for target in ("file", "directory", "missing"):
        (tmp_path / f"to {target}").symlink_to(target)
    (tmp_path / "to itself").symlink_to("to itself")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "to fifo").symlink_to("fifo")

    assert sorted(storage.scan(str(tmp_path))) == [
        Entry("directory", "directory", is_link=False),
        Entry("fifo", "other", is_link=False),
        Entry("file", "file", is_link=False),
        Entry("to directory", "directory", is_link=True),
        Entry("to fifo", "other", is_link=True),
        Entry("to file", "file", is_link=True),
        Entry("to itself", "broken link", is_link=True),
        Entry("to missing", "broken link", is_link=True),
    ]


@posix
def test_info_follows_links(storage, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to("x")
    os.link(path, tmp_path / "hard link")
    (tmp_path / "broken").symlink_to("missing")
    (tmp_path / "loop").symlink_to("loop")

    expected = storage.info(str(path))

    assert (expected.kind, expected.size) == ("file", 5)
    assert expected == storage.info(str(tmp_path / "link"))
    assert expected == storage.info(str(tmp_path / "hard link"))
    assert storage.info(str(tmp_path / "broken")) is None
    assert storage.info(str(tmp_path / "loop")).kind == "broken link"


# What is no regular file


@linux
@pytest.mark.parametrize("path", ["/dev/full", "/dev/null"])
def test_a_device_is_refused_and_stays(storage, path):
    with pytest.raises(OSError, match=f"no regular file: '{path}'"):
        write(storage, path)

    assert stat.S_ISCHR(os.stat(path).st_mode)
    assert storage.info(path) == FileInfo("other", 0, (os.stat(path).st_dev, os.stat(path).st_ino))


@posix
def test_a_fifo_is_refused_and_stays(storage, tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)

    with pytest.raises(OSError, match=r"no regular file: '.*/fifo'"):
        write(storage, path)

    assert names(tmp_path) == ["fifo"]
    assert stat.S_ISFIFO(path.stat().st_mode)


# Disks that are full or fail

FULL_DISK = """
import signal, sys
from tfrec.storage import LocalStorage

with LocalStorage().publish(sys.argv[1]) as stream:
    for _ in range(40):
        stream.write(bytes(100_000))
"""

LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # write() fails then, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
"""


@posix
def test_a_write_that_fails_names_the_file_and_leaves_nothing(tmp_path):
    path = tmp_path / "x"
    command = [sys.executable, "-c", LIMITED + FULL_DISK, path]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.endswith(f"OSError: [Errno 27] File too large: '{path}'\n")
    assert names(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 1 MiB; only root may, and not everywhere."""
    directory = tmp_path / "disk"
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a small disk can't be mounted here")
    yield directory
    subprocess.run(["umount", directory], check=True)


@linux
def test_a_full_disk_names_the_file_and_leaves_nothing(small_disk):
    path = small_disk / "x"

    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.endswith(f"OSError: [Errno 28] No space left on device: '{path}'\n")
    assert names(small_disk) == []


@linux
def test_a_read_that_fails_names_the_file(storage):
    """Address 0 of a process is never mapped: reading it is an I/O error."""
    with (
        storage.open_read("/proc/self/mem") as stream,
        pytest.raises(OSError, match=r"error: '/proc/self/mem'"),
    ):
        stream.read(10)


# Places and names


def test_a_file_in_the_place_of_a_directory_is_named(storage, tmp_path):
    write(storage, tmp_path / "x")

    with pytest.raises(OSError, match=r"/x"):
        write(storage, tmp_path / "x" / "y" / "z")

    assert (tmp_path / "x").read_bytes() == b"content"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_without_permission_is_named(storage, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=str(tmp_path)):
            write(storage, tmp_path / "x")
    finally:
        tmp_path.chmod(0o700)


def test_a_bare_name_is_published_in_the_current_directory(storage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    write(storage, "x")

    assert names(tmp_path) == ["x"]


@posix
@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0, 0o666)])
def test_a_published_file_has_the_permissions_of_any_new_file(storage, tmp_path, umask, expected):
    former = os.umask(umask)
    try:
        write(storage, tmp_path / "x")
    finally:
        os.umask(former)

    assert expected == stat.S_IMODE((tmp_path / "x").stat().st_mode)


@linux
@pytest.mark.parametrize("name", [b"x" * 255, "é".encode() * 127, b"\xff" * 255])
def test_what_was_left_of_a_very_long_name_is_removed(storage, tmp_path, name):
    path = os.path.join(tmp_path, os.fsdecode(name))
    leave_over(path)
    (left_over,) = names(tmp_path)

    write(storage, path)

    assert left_over not in names(tmp_path)
    assert [os.fsdecode(name)] == names(tmp_path)


def test_no_descriptor_stays_open(storage, tmp_path):
    """A test that leaks one fails by its ResourceWarning; here the descriptors are counted too."""
    before = _count_descriptors()

    for number in range(50):
        write(storage, tmp_path / f"{number}")
        with pytest.raises(ValueError), storage.publish(str(tmp_path / "y")):
            raise ValueError

    assert before == _count_descriptors()


def _count_descriptors():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_discarding_removes_what_a_killed_writer_left(tmp_path):
    left_over = tmp_path / ".x.0123456789ab.tfrec-tmp"
    left_over.write_bytes(b"half")
    of_another = tmp_path / ".y.0123456789ab.tfrec-tmp"
    of_another.write_bytes(b"half")

    LocalStorage().discard(str(tmp_path / "x"))

    assert [of_another.name] == os.listdir(tmp_path)


def test_a_file_being_written_is_not_discarded(tmp_path):
    storage = LocalStorage()
    with storage.publish(str(tmp_path / "x")) as stream:
        stream.write(b"whole")
        storage.discard(str(tmp_path / "x"))

    assert b"whole" == (tmp_path / "x").read_bytes()


@pytest.fixture
def no_locks_beside(monkeypatch):
    """Let nobody make a lock file, as in a directory that is another's."""
    really_open = os.open

    def refuse(path, *args, **options):
        if str(path).endswith(".tfrec-lock"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return really_open(path, *args, **options)

    monkeypatch.setattr(os, "open", refuse)


@posix
def test_a_directory_in_that_of_another_is_held_all_the_same(storage, tmp_path, no_locks_beside):
    out = tmp_path / "out"
    out.mkdir()

    with (
        storage.exclusive(str(out)),
        pytest.raises(BlockingIOError, match="another tfrec"),
        storage.exclusive(str(out)),
    ):
        pytest.fail("the block is not entered")
    with storage.exclusive(str(out)):
        pass

    assert names(out) == []


@posix
def test_a_place_that_takes_no_lock_is_named(storage, tmp_path, no_locks_beside):
    path = str(tmp_path / "out")

    with pytest.raises(PermissionError) as raised, storage.exclusive(path):
        pytest.fail("the block is not entered")

    assert path == raised.value.filename


@pytest.mark.parametrize("program", ["publish", "publish_directory"])
def test_a_temporary_name_that_is_refused_is_not_the_one_named(
    storage, tmp_path, monkeypatch, program
):
    def refuse(path, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    path = str(tmp_path / "out")
    monkeypatch.setattr(os, "replace", refuse)

    with pytest.raises(PermissionError) as raised, getattr(storage, program)(path):
        pass

    assert path == raised.value.filename
    assert names(tmp_path) == []


def test_a_directory_that_another_publishes_meanwhile_stays(storage, tmp_path):
    path = str(tmp_path / "out")

    with pytest.raises(FileExistsError) as caught, storage.publish_directory(path) as directory:
        storage.write(storage.join(directory, "late"), b"late")
        with storage.publish_directory(path) as other:
            storage.write(storage.join(other, "first"), b"first")

    assert path == caught.value.filename
    assert ["out"] == names(tmp_path)
    assert ["first"] == names(path)


@posix
def test_a_scratch_file_that_cannot_grow_names_what_it_is_for(tmp_path):
    path = str(tmp_path / "out")
    program = SCRATCH_BEYOND_THE_LIMIT.format(path=path)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert f"{errno.EFBIG} {path}\n" == done.stdout


SCRATCH_BEYOND_THE_LIMIT = """
import resource
from tfrec.storage import LocalStorage

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
file = LocalStorage().open_scratch({path!r})
try:
    file.write(bytes(1 << 20))
except OSError as error:
    print(error.errno, error.filename)
"""


KILLED_AFTER_ITS_FIRST_RENAME = """
import os, sys
from tfrec.storage import LocalStorage

rename = os.rename

def rename_and_die(*args):
    rename(*args)
    os._exit(9)

storage = LocalStorage()
with storage.publish_directory(sys.argv[1], replace=True) as directory:
    storage.write(directory + "/new", b"new")
    os.rename = os.replace = rename_and_die
os._exit(0)
"""


@linux
def test_a_directory_is_replaced_in_one_step(tmp_path):
    target = tmp_path / "show"
    target.mkdir()
    (target / "old").write_bytes(b"old")

    done = subprocess.run(
        [sys.executable, "-c", KILLED_AFTER_ITS_FIRST_RENAME, str(target)], check=False
    )

    assert (0, ["show"], ["new"]) == (done.returncode, names(tmp_path), names(target))


@pytest.mark.parametrize("path", ["show", "show/", "link"])
def test_an_error_at_a_file_of_a_new_directory_names_it_below_the_given_path(
    storage, tmp_path, monkeypatch, path
):
    monkeypatch.chdir(tmp_path)
    os.symlink("target", "link")

    with (
        pytest.raises(FileExistsError) as caught,
        storage.publish_directory(path) as directory,
    ):
        for _ in range(2):
            storage.write(storage.join(directory, "cat", "a.jpg"), b"a")

    assert os.path.join(path, "cat", "a.jpg") == caught.value.filename
    assert ["link"] == names(tmp_path)


def test_an_error_at_another_file_keeps_its_name(storage, tmp_path):
    with pytest.raises(FileNotFoundError) as caught, storage.publish_directory(str(tmp_path / "a")):
        storage.open_read("none")

    assert "none" == caught.value.filename


@pytest.mark.parametrize("program", ["publish", "publish_directory"])
def test_a_name_that_cannot_be_made_is_the_one_that_was_given(
    storage, tmp_path, monkeypatch, program
):
    def refuse(path, *_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "mkdir", refuse)

    with pytest.raises(OSError) as caught, getattr(storage, program)("out"):
        pass

    assert (errno.ENOSPC, "out") == (caught.value.errno, caught.value.filename)


@pytest.fixture
def no_exchange(monkeypatch):
    """Be a system that can't exchange two names."""
    monkeypatch.setattr("tfrec.storage.local.exchange", lambda *_: False)


def test_without_an_exchange_a_directory_is_replaced_in_two_steps(storage, tmp_path, no_exchange):
    target = tmp_path / "show"
    target.mkdir()
    (target / "old").write_bytes(b"old")

    with storage.publish_directory(str(target), replace=True) as directory:
        storage.write(storage.join(directory, "new"), b"new")

    assert (["show"], ["new"]) == (names(tmp_path), names(target))


def test_what_is_not_there_is_not_exchanged(tmp_path):
    (tmp_path / "a").mkdir()

    assert not exchange(str(tmp_path / "a"), str(tmp_path / "b"))
    assert ["a"] == names(tmp_path)


def test_a_directory_that_cannot_be_replaced_stays(tmp_path, monkeypatch, no_exchange):
    target = tmp_path / "show"
    target.mkdir()
    (target / "old").write_bytes(b"old")
    rename = os.replace

    def refuse_new(source, destination):
        if os.path.exists(os.path.join(source, "new")):
            raise OSError(errno.EIO, "no rename", destination)
        rename(source, destination)

    monkeypatch.setattr(os, "replace", refuse_new)
    storage = LocalStorage()
    with (
        pytest.raises(OSError, match="no rename"),
        storage.publish_directory(str(target), replace=True) as directory,
    ):
        storage.write(storage.join(directory, "new"), b"new")

    assert [("show", ["old"])] == [
        (name, os.listdir(tmp_path / name)) for name in os.listdir(tmp_path)
    ]


def test_a_growing_file_is_on_its_way_to_the_disk(storage, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(
        "tfrec.storage.writeback.start_writeback",
        lambda descriptor, offset, size: started.append((offset, size)),
    )

    with storage.publish(str(tmp_path / "out")) as stream:
        for _ in range(40):
            stream.write(bytes(1 << 20))

    assert [(0, 16 << 20), (16 << 20, 16 << 20)] == started
    assert 40 << 20 == (tmp_path / "out").stat().st_size


@linux
def test_what_starts_writing_back_is_found(tmp_path):
    with open(tmp_path / "file", "wb", buffering=0) as stream:
        stream.write(bytes(1 << 20))

        assert 0 == _load_function()(stream.fileno(), 0, 1 << 20, 2)
        start_writeback(-1, 0, 1)  # a hint, which nobody minds
