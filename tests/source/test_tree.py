"""Real directories: links, permissions, special files, names of any bytes."""

import os
import shutil
import sys
import tempfile

import pytest

from tfrec.source.tree import Selection, walk_tree
from tfrec.source.walk import scan_images
from tfrec.storage import AnyStorage, LocalStorage

PNG = b"\x89PNG\r\n\x1a\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and names of POSIX")


class ReversedStorage(LocalStorage):
    """Lists every directory in the reverse order."""

    def scan(self, path):
        return reversed(list(super().scan(path)))


class ForbiddenStorage(LocalStorage):
    """Refuses to list one directory, as the system does to any user but root."""

    def __init__(self, name):
        self.name = name

    def scan(self, path):
        if os.path.basename(path) == self.name:
            raise PermissionError(13, "Permission denied", path)
        return super().scan(path)


class JunctionStorage(ReversedStorage):
    """Has folders that are one without being links, as junctions and mounts are."""

    def info(self, path):
        info = super().info(path)
        is_same = os.path.basename(path) in ("b", "c", "d")
        return info._replace(identity="the same") if is_same else info


@pytest.fixture(params=[LocalStorage, ReversedStorage])
def storage(request):
    return request.param()


@pytest.fixture
def make(tmp_path):
    def make(*paths):
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(PNG)
        return str(tmp_path)

    return make


def paths_of(source):
    return [image.path for image in source]


def kinds_and_paths(source):
    return [(note.kind, note.path) for note in source.notes]


def test_a_link_up_the_tree_is_followed_once(make, tmp_path, storage):
    directory = make("cat/a.png", "dog/b.png")
    (tmp_path / "cat/loop").symlink_to(tmp_path, target_is_directory=True)

    source = scan_images(directory, storage=storage)

    assert ["cat/a.png", "dog/b.png"] == paths_of(source)
    assert [("repeated folder", "cat/loop")] == kinds_and_paths(source)


def test_a_link_never_takes_the_images_of_the_folder_it_leads_to(make, tmp_path, storage):
    directory = make("cat/a.png", "dog/b.png")
    (tmp_path / "all").symlink_to("cat", target_is_directory=True)

    source = scan_images(directory, storage=storage)

    assert ("cat", "dog") == source.labels.names
    assert ["cat/a.png", "dog/b.png"] == paths_of(source)
    assert [("repeated folder", "all")] == kinds_and_paths(source)


def test_of_two_links_to_one_folder_the_first_by_bytes_is_followed(make, tmp_path, storage):
    directory = make("photos/eel/e.png", "pool/a.png") + "/photos"
    for name in ("cat", "Cat", "dog"):
        (tmp_path / "photos" / name).symlink_to("../pool", target_is_directory=True)

    source = scan_images(directory, storage=storage)

    assert ["Cat/a.png", "eel/e.png"] == paths_of(source)
    assert [("repeated folder", "cat"), ("repeated folder", "dog")] == kinds_and_paths(source)


def test_of_folders_that_are_one_the_first_by_bytes_is_walked(make):
    source = scan_images(
        make("a/1.png", "b/1.png", "c/1.png", "d/1.png"), storage=JunctionStorage()
    )

    assert ["a/1.png", "b/1.png"] == paths_of(source)
    assert [("repeated folder", "c"), ("repeated folder", "d")] == kinds_and_paths(source)


def test_links_inside_a_linked_folder_are_followed(make, tmp_path, storage):
    directory = make("photos/eel/e.png", "pool/a.png", "deep/b.png") + "/photos"
    (tmp_path / "photos/cat").symlink_to(tmp_path / "pool", target_is_directory=True)
    (tmp_path / "pool/more").symlink_to(tmp_path / "deep", target_is_directory=True)

    source = scan_images(directory, storage=storage)

    assert ["cat/a.png", "cat/more/b.png", "eel/e.png"] == paths_of(source)


def test_links_to_files_are_images(make, tmp_path, storage):
    directory = make("photos/cat/a.png", "pool/b.png") + "/photos"
    (tmp_path / "photos/cat/b.png").symlink_to(tmp_path / "pool/b.png")

    source = scan_images(directory, storage=storage)

    assert ["cat/a.png", "cat/b.png"] == paths_of(source)


def test_broken_links_are_noted_and_left_out(make, tmp_path, storage):
    directory = make("cat/a.png")
    (tmp_path / "cat/b.png").symlink_to("gone.png")
    (tmp_path / "cat/long").symlink_to("x" * 300)
    (tmp_path / "cat/self").symlink_to("self")
    (tmp_path / "cat/under").symlink_to("a.png/x")
    (tmp_path / "dog").symlink_to("/nowhere/dog")

    source = scan_images(directory, storage=storage)

    broken = ["cat/b.png", "cat/long", "cat/self", "cat/under", "dog"]
    assert [("broken link", path) for path in broken] == kinds_and_paths(source)
    assert all(note.is_left_out for note in source.notes)
    assert ("cat",) == source.labels.names


def test_links_are_counted_where_they_are_not_followed(make, tmp_path, storage):
    directory = make("cat/a.png")
    (tmp_path / "dog").symlink_to("cat", target_is_directory=True)
    (tmp_path / "cat/b.png").symlink_to("a.png")
    (tmp_path / "cat/c.png").symlink_to("gone.png")

    source = scan_images(directory, storage=storage, follow_links=False)

    assert ["cat/a.png"] == paths_of(source)
    assert {"link": 3} == source.ignored
    assert () == source.notes


@pytest.mark.timeout(10)
def test_a_fifo_is_never_opened(make, tmp_path, storage):
    directory = make("cat/a.png")
    os.mkfifo(tmp_path / "cat/b.png")
    os.mkfifo(tmp_path / "cat/c.txt")
    os.mkfifo(tmp_path / "d")

    source = scan_images(directory, storage=storage)

    assert ["cat/a.png"] == paths_of(source)
    assert {"special file": 3} == source.ignored


def test_an_empty_folder_is_a_class(make, tmp_path, storage):
    directory = make("a/1.png", "c/2.png")
    (tmp_path / "b").mkdir()
    (tmp_path / "c/empty").mkdir()

    source = scan_images(directory, storage=storage)

    assert ("a", "b", "c") == source.labels.names
    assert [("empty class", "b")] == kinds_and_paths(source)


def test_names_may_be_any_bytes_and_as_long_as_a_name_can_be(tmp_path, storage):
    folder, long = b"caf\xe9\n", b"\xff" * 251 + b".png"
    os.mkdir(os.fsencode(tmp_path) + b"/" + folder)
    for name in (long, "фото 1.png".encode(), b"a\x1b[2J"):
        with open(os.fsencode(tmp_path) + b"/" + folder + b"/" + name, "wb"):
            pass

    source = scan_images(str(tmp_path), storage=storage)

    assert [folder] == list(map(os.fsencode, source.labels.names))
    expected = [folder + b"/" + name for name in (b"a\x1b[2J", "фото 1.png".encode(), long)]
    assert expected == list(map(os.fsencode, paths_of(source)))


def test_a_deep_tree_is_walked(make):
    folder = "/".join(["cat", *["d"] * 500])

    assert [f"{folder}/a.png"] == paths_of(
        scan_images(make(f"{folder}/a.png"), storage=LocalStorage())
    )


@pytest.mark.parametrize("name", ["dog", "inner"])
def test_a_folder_that_cannot_be_listed_ends_the_scan_with_its_name(make, name):
    directory = make("cat/a.png", "dog/inner/b.png")

    with pytest.raises(PermissionError) as caught:
        scan_images(directory, storage=ForbiddenStorage(name))

    assert name == os.path.basename(caught.value.filename)


@pytest.fixture
def open_directory():
    """Make a directory that other users can reach, which `tmp_path` is not."""
    directory = tempfile.mkdtemp()
    os.chmod(directory, 0o755)
    yield directory
    os.chmod(os.path.join(directory, "dog"), 0o755)
    shutil.rmtree(directory)


def test_a_folder_without_permission_ends_the_scan_with_its_name(open_directory):
    for name in ("cat", "dog"):
        os.mkdir(os.path.join(open_directory, name))
        with open(os.path.join(open_directory, name, "a.png"), "wb") as stream:
            stream.write(PNG)
    os.chmod(os.path.join(open_directory, "dog"), 0)
    is_root = os.geteuid() == 0

    try:
        if is_root:
            os.seteuid(65534)  # root may list anything
        with pytest.raises(PermissionError) as caught:
            scan_images(open_directory, storage=LocalStorage())
    finally:
        if is_root:
            os.seteuid(0)

    assert os.path.join(open_directory, "dog") == caught.value.filename


def test_folders_at_a_url_are_listed_as_those_of_a_disk_are(memory_url, tmp_path):
    storage = AnyStorage()
    for root in (memory_url, str(tmp_path / "in")):
        for path in ("b/2.png", "a/x/1.png", "a/x/y/3.png", ".hidden/4.png", "c/Thumbs.db"):
            with storage.publish(storage.join(root, *path.split("/"))) as stream:
                stream.write(b"content")

    remote, local = (
        walk_tree(root, storage=storage, selection=Selection())
        for root in (memory_url, str(tmp_path / "in"))
    )

    assert {
        "": [],
        "a": [],
        "a/x": ["a/x/1.png"],
        "a/x/y": ["a/x/y/3.png"],
        "b": ["b/2.png"],
        "c": [],
    } == (remote.files)
    assert local == remote
    assert list(local.files) == list(remote.files)


def test_an_error_of_a_listing_ahead_passes(memory_url, monkeypatch):
    storage = AnyStorage()
    with storage.publish(f"{memory_url}/a/1.png") as stream:
        stream.write(b"content")
    scan = AnyStorage.scan

    def fail(self, path):
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return scan(self, path)

    monkeypatch.setattr(AnyStorage, "scan", fail)

    with pytest.raises(PermissionError) as caught:
        walk_tree(memory_url, storage=storage, selection=Selection())

    assert f"{memory_url}/a" == caught.value.filename
