"""What every storage does: files of this machine, of a dict, and at URLs of two kinds.

A store of objects differs in what it can't do: it has no names that are no UTF-8, a reader doesn't
keep a file that is replaced, and a file that grows is seen when it is closed.
"""

import contextlib
import os
import threading

import pytest

from tfrec.storage import AnyStorage, Entry, LocalStorage, MemoryStorage, scheme_of

KINDS = ["local", "memory", "any", "memory://", pytest.param("s3://", marks=pytest.mark.interop)]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def storage(kind):
    match kind:
        case "local":
            return LocalStorage()
        case "memory":
            return MemoryStorage()
    return AnyStorage()


@pytest.fixture
def root(kind, tmp_path, request):
    match kind:
        case "local" | "any":
            return str(tmp_path)
        case "memory":
            return "root"
        case "memory://":
            return request.getfixturevalue("memory_url")
    return request.getfixturevalue("s3_url")


@pytest.fixture(autouse=True)
def quick_leases(monkeypatch):
    monkeypatch.setattr("tfrec.storage.lease.RENEW_SECONDS", 0.05)


def write(storage, path, content):
    with storage.publish(path) as stream:
        stream.write(content)


def read(storage, path):
    with storage.open_read(path) as stream:
        return stream.read()


def names(storage, path):
    return sorted(entry.name for entry in storage.scan(path))


def test_what_is_published_is_read(storage, root):
    path = storage.join(root, "x")

    write(storage, path, b"one, " * 100_000)

    assert b"one, " * 100_000 == read(storage, path)


def test_an_open_file_can_seek(storage, root):
    path = storage.join(root, "x")
    write(storage, path, b"0123456789")

    with storage.open_read(path) as stream:
        assert stream.seekable()
        stream.seek(3)
        assert stream.read(4) == b"3456"
        assert stream.tell() == 7


def test_missing_directories_are_made(storage, root):
    path = storage.join(root, "a", "b", "x")

    write(storage, path, b"deep")

    assert read(storage, path) == b"deep"
    assert list(storage.scan(storage.join(root, "a"))) == [Entry("b", "directory", is_link=False)]


def test_nothing_is_at_the_path_until_the_block_ends(storage, root):
    path = storage.join(root, "x")

    with storage.publish(path) as stream:
        stream.write(b"content" * 100_000)
        stream.flush()
        during = storage.info(path)

    assert during is None
    assert storage.info(path).size == 700_000


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_in_the_block_leaves_nothing(storage, root, error):
    path = storage.join(root, "x")
    write(storage, storage.join(root, "other"), b"")

    with pytest.raises(error), storage.publish(path) as stream:
        stream.write(b"half" * 100_000)
        raise error

    assert storage.info(path) is None
    assert names(storage, root) == ["other"]


def test_an_error_in_the_block_leaves_the_former_file(storage, root):
    path = storage.join(root, "x")
    write(storage, path, b"former")

    with pytest.raises(ValueError), storage.publish(path) as stream:
        stream.write(b"half")
        raise ValueError

    assert read(storage, path) == b"former"
    assert names(storage, root) == ["x"]


def test_a_file_is_replaced_whole(storage, root):
    path = storage.join(root, "x")
    write(storage, path, b"a longer former file")

    with storage.publish(path) as stream:
        stream.write(b"new")
        assert read(storage, path) == b"a longer former file"

    assert read(storage, path) == b"new"


def test_a_reader_keeps_the_file_it_opened_or_fails(storage, root, kind):
    path = storage.join(root, "x")
    write(storage, path, b"former")

    with storage.open_read(path) as stream:
        write(storage, path, b"newer!")

        if kind == "s3://":
            with pytest.raises(OSError, match="x"):
                stream.read()
        else:
            assert b"former" == stream.read()


def test_several_threads_publish_several_files(storage, root):
    paths = [storage.join(root, f"{number}") for number in range(8)]
    threads = [
        threading.Thread(target=write, args=(storage, path, path.encode())) for path in paths
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [path.encode() for path in paths] == [read(storage, path) for path in paths]


def test_several_threads_publish_one_file_and_one_of_them_is_it(storage, root):
    path = storage.join(root, "x")
    contents = [bytes([number]) * 300_000 for number in range(8)]
    threads = [
        threading.Thread(target=write, args=(storage, path, content)) for content in contents
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert read(storage, path) in contents
    assert names(storage, root) == ["x"]


def test_scan_lists_files_and_directories_of_one_level(storage, root):
    for name in ("a", "b"):
        write(storage, storage.join(root, name), b"")
    for name in ("1", "2"):
        write(storage, storage.join(root, "c", name), b"")

    assert sorted(storage.scan(root)) == [
        Entry("a", "file", is_link=False),
        Entry("b", "file", is_link=False),
        Entry("c", "directory", is_link=False),
    ]


def test_info_tells_kind_and_size(storage, root):
    path = storage.join(root, "c", "x")
    write(storage, path, b"12345")

    file, directory = storage.info(path), storage.info(storage.join(root, "c"))

    assert (file.kind, file.size) == ("file", 5)
    assert directory.kind == "directory"
    assert storage.info(storage.join(root, "none")) is None
    assert storage.info(storage.join(path, "below a file")) is None


def test_identity_tells_files_apart(storage, root):
    paths = [storage.join(root, name) for name in "ab"]
    for path in paths:
        write(storage, path, b"same")

    first, second = map(storage.info, paths)

    assert first.identity == storage.info(paths[0]).identity
    assert first.identity != second.identity


def test_remove_removes_one_file(storage, root):
    for name in "ab":
        write(storage, storage.join(root, name), b"")

    storage.remove(storage.join(root, "a"))

    assert names(storage, root) == ["b"]


@pytest.mark.parametrize(
    "use",
    [
        lambda storage, path: storage.open_read(path),
        lambda storage, path: list(storage.scan(path)),
        lambda storage, path: storage.remove(path),
    ],
    ids=["open_read", "scan", "remove"],
)
def test_what_is_missing_is_named(storage, root, use):
    path = storage.join(root, "missing")

    with pytest.raises(FileNotFoundError) as caught:
        use(storage, path)

    assert path == caught.value.filename
    assert path in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda storage, path: storage.open_read(path),
        lambda storage, path: write(storage, path, b""),
    ],
    ids=["open_read", "publish"],
)
def test_a_directory_is_no_file(storage, root, use):
    write(storage, storage.join(root, "d", "x"), b"")
    path = storage.join(root, "d")

    with pytest.raises(IsADirectoryError) as caught:
        use(storage, path)

    assert path == caught.value.filename
    assert names(storage, path) == ["x"]


def test_a_file_is_no_directory(storage, root):
    path = storage.join(root, "x")
    write(storage, path, b"")

    with pytest.raises(NotADirectoryError) as caught:
        list(storage.scan(path))

    assert path == caught.value.filename


@pytest.mark.parametrize(
    "name", ["фото 1.png", "猫", "a:b*c?", " ", "x" * 255, os.fsdecode(b"\xff\xfe")]
)
def test_names_come_back_as_they_were_given(storage, root, name, kind):
    if kind == "s3://" and not name.isprintable():
        pytest.skip("names of objects are UTF-8")
    write(storage, storage.join(root, name), b"content")

    assert names(storage, root) == [name]
    assert read(storage, storage.join(root, name)) == b"content"


def test_join_puts_names_below_a_directory(storage):
    separator = "/" if isinstance(storage, MemoryStorage) else os.sep
    assert storage.join("a", "b", "c") == "a/b/c".replace("/", separator)
    assert storage.join("a") == "a"


def test_join_goes_on_where_a_directory_ends(storage, root):
    assert f"{root}/b" == storage.join(root, "b").replace(os.sep, "/")


# Directories


def fill(storage, path, files, **options):
    with storage.publish_directory(path, **options) as directory:
        for name, content in files.items():
            storage.write(storage.join(directory, *name.split("/")), content)


def test_a_filled_directory_appears_whole(storage, root):
    path = storage.join(root, "out")

    with storage.publish_directory(path) as directory:
        storage.write(storage.join(directory, "a"), b"one")
        storage.write(storage.join(directory, "b", "c"), b"two")
        during = storage.info(path)

    assert during is None
    assert names(storage, root) == ["out"]
    assert read(storage, storage.join(path, "a")) == b"one"
    assert read(storage, storage.join(path, "b", "c")) == b"two"


@pytest.mark.parametrize("replace", [False, True])
def test_an_error_while_a_directory_is_filled_leaves_nothing(storage, root, replace):
    write(storage, storage.join(root, "other"), b"")
    path = storage.join(root, "out")

    with pytest.raises(KeyError), storage.publish_directory(path, replace=replace) as directory:
        storage.write(storage.join(directory, "a"), b"half")
        raise KeyError

    assert names(storage, root) == ["other"]


def test_a_directory_that_is_there_is_refused_before_it_is_filled(storage, root):
    path = storage.join(root, "out")
    fill(storage, path, {"a": b"former"})

    with pytest.raises(FileExistsError) as caught, storage.publish_directory(path):
        pytest.fail("the block is not entered")

    assert path == caught.value.filename
    assert read(storage, storage.join(path, "a")) == b"former"
    assert names(storage, root) == ["out"]


def test_a_directory_is_replaced_whole(storage, root):
    path = storage.join(root, "out")
    fill(storage, path, {"a": b"former", "b/c": b"former"})

    fill(storage, path, {"d": b"new"}, replace=True)

    assert names(storage, root) == ["out"]
    assert names(storage, path) == ["d"]


def test_an_error_while_a_directory_is_replaced_leaves_the_former_one(storage, root):
    path = storage.join(root, "out")
    fill(storage, path, {"a": b"former"})

    with pytest.raises(KeyError), storage.publish_directory(path, replace=True) as directory:
        storage.write(storage.join(directory, "a"), b"new")
        raise KeyError

    assert names(storage, root) == ["out"]
    assert read(storage, storage.join(path, "a")) == b"former"


@pytest.mark.parametrize("replace", [False, True])
def test_a_file_is_not_replaced_by_a_directory(storage, root, replace):
    path = storage.join(root, "out")
    write(storage, path, b"a file")

    with pytest.raises(OSError) as caught:
        fill(storage, path, {"a": b""}, replace=replace)

    assert path == caught.value.filename
    assert read(storage, path) == b"a file"
    assert names(storage, root) == ["out"]


def test_a_file_in_a_directory_is_written_once(storage, root):
    with storage.publish_directory(storage.join(root, "out")) as directory:
        path = storage.join(directory, "a")
        storage.write(path, b"one")
        with pytest.raises(FileExistsError) as caught:
            storage.write(path, b"two")

    assert path == caught.value.filename
    assert read(storage, storage.join(root, "out", "a")) == b"one"


# Locks


def test_a_path_is_held_by_one(storage, root):
    path = storage.join(root, "out")

    with storage.exclusive(path), pytest.raises(BlockingIOError) as caught, storage.exclusive(path):
        pytest.fail("the block is not entered")

    assert path == caught.value.filename
    assert "another tfrec is writing it" in str(caught.value)


@pytest.mark.parametrize("names", [("a", "b"), ("x" * 254 + "1", "x" * 254 + "2")])
def test_different_paths_are_held_at_once(storage, root, names):
    first, second = (storage.join(root, name) for name in names)

    with storage.exclusive(first), storage.exclusive(second):
        pass


@pytest.mark.parametrize("error", [None, KeyError])
def test_a_path_is_free_after_the_block(storage, root, error):
    path = storage.join(root, "out")
    expected = pytest.raises(error) if error else contextlib.nullcontext()
    with expected, storage.exclusive(path):
        if error:
            raise error

    with storage.exclusive(path):
        pass

    assert storage.info(root) is None or names(storage, root) == []


def test_an_opened_file_is_emptied_and_seen_as_far_as_it_is_flushed(storage, root, kind):
    path = storage.join(root, "x")
    if scheme_of(kind):
        with storage.open_write(path) as stream:
            stream.write(b"first")
            stream.flush()
            assert storage.info(path) is None
        assert b"first" == read(storage, path)
        return
    write(storage, path, b"former")

    with storage.open_write(path) as stream:
        at_first = read(storage, path)
        stream.write(b"first")
        stream.flush()
        flushed = read(storage, path)
        stream.write(b", second")

    assert [b"", b"first", b"first, second"] == [at_first, flushed, read(storage, path)]


def test_a_directory_is_not_opened_for_writing(storage, root):
    write(storage, storage.join(root, "d", "x"), b"")

    with pytest.raises(OSError, match="d"):
        storage.open_write(storage.join(root, "d"))


def test_a_scratch_file_is_read_back_and_has_no_name(storage, root):
    write(storage, storage.join(root, "x"), b"")

    with storage.open_scratch(storage.join(root, "y")) as stream:
        stream.write(b"some bytes")
        stream.seek(0)

        assert b"some bytes" == stream.read()
        assert ["x"] == names(storage, root)


def test_the_time_of_writing_is_known_of_files_alone(storage, root, kind):
    path = storage.join(root, "d", "x")
    write(storage, path, b"")
    expected = os.stat(path).st_mtime_ns if os.path.exists(path) else None

    assert kind == "s3://" or expected == storage.info(path).modified
    assert storage.info(storage.join(root, "d")).modified is None


def test_what_is_appended_is_read_in_order(storage, root):
    path = storage.join(root, "log")
    lines = [b"%d\n" % number for number in range(300)]
    for line in lines:
        storage.append(path, line * 100)

    assert b"".join(line * 100 for line in lines) == read(storage, path)
    assert storage.info(path) is not None


def test_what_was_appended_is_gone_after_discard(storage, root):
    path = storage.join(root, "log")
    write(storage, storage.join(root, "other"), b"")
    storage.append(path, b"one")

    storage.discard(path)
    storage.discard(path)

    assert storage.info(path) is None
    assert ["other"] == names(storage, root)


def test_appending_makes_a_file_and_adds_to_it(storage, root):
    path = storage.join(root, "a", "x")

    storage.append(path, b"one\n")
    storage.append(path, b"two\n")

    assert b"one\ntwo\n" == read(storage, path)


def test_a_renamed_file_takes_the_place_of_another(storage, root):
    write(storage, storage.join(root, "new"), b"new")
    write(storage, storage.join(root, "old"), b"old")

    storage.rename(storage.join(root, "new"), storage.join(root, "old"))

    assert ["old"] == names(storage, root)
    assert b"new" == read(storage, storage.join(root, "old"))


def test_a_missing_file_can_not_be_renamed(storage, root):
    write(storage, storage.join(root, "x"), b"")

    with pytest.raises(FileNotFoundError):
        storage.rename(storage.join(root, "missing"), storage.join(root, "x"))


def test_discarding_removes_what_is_there(storage, root):
    write(storage, storage.join(root, "x"), b"")
    write(storage, storage.join(root, "y"), b"")

    for name in ("x", "missing"):
        storage.discard(storage.join(root, name))

    assert ["y"] == names(storage, root)


@pytest.mark.parametrize(
    ("directory", "path", "expected"),
    [
        ("a", "a", True),
        ("a", "a/", True),
        ("a/", "a/b/c", True),
        ("a", "ab", False),
        ("a/b", "a", False),
        ("a", "c", False),
    ],
)
def test_a_directory_contains_itself_and_what_is_below(storage, root, directory, path, expected):
    assert expected == storage.contains(f"{root}/{directory}", f"{root}/{path}")


def test_discarding_leaves_a_directory_with_files(storage, root):
    write(storage, storage.join(root, "a", "x"), b"")

    storage.discard(storage.join(root, "a"))

    assert ["x"] == names(storage, storage.join(root, "a"))
