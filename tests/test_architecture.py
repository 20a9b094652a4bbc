"""The rules of the design that import-linter cannot see, and the sizes that keep code readable."""

import ast
import statistics
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "tfrec"
MODULES = {
    ".".join(("tfrec", *path.relative_to(PACKAGE).with_suffix("").parts)): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
NAMED_FOR_NOTHING = {"util", "utils", "common", "helpers", "misc"}

OPENING = {
    "open", "io.open", "io.FileIO", "os.open", "os.scandir", "os.listdir", "os.walk", "os.stat",
    "os.remove", "os.unlink", "os.rename", "os.replace", "os.mkdir", "os.makedirs", "os.rmdir",
    "os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.getsize", "os.path.islink",
    "shutil.rmtree", "shutil.move", "shutil.copy", "shutil.copyfile", "shutil.copytree",
    "shutil.disk_usage", "tempfile.TemporaryFile", "tempfile.mkdtemp", "tempfile.mkstemp",
    "pathlib.Path", "Path",
}  # fmt: skip
STARTING = {
    "threading.Thread", "threading.Timer", "Thread", "ThreadPoolExecutor", "ProcessPoolExecutor",
    "multiprocessing.Process", "subprocess.run", "subprocess.Popen", "os.fork", "os.system",
}  # fmt: skip
ENDING = {"print", "input", "exit", "quit", "sys.exit", "os._exit"}
WAITING = {"time.sleep", "sleep"}

# The calls that look like another door's, and why they are none.
ALLOWED = {
    ("tfrec.cli.render", "os.open"),  # the null device, in place of a closed stdout
    (
        "tfrec.cli.commands",
        "os.open",
    ),  # the null device, for streams that were closed from the start
    # The lock in an object store lives by being written anew, and nothing tells that it has changed.
    ("tfrec.storage.lease", "threading.Thread"),
    ("tfrec.storage.lease", "time.sleep"),
    ("tfrec.engine.processes", "os._exit"),  # a worker whose parent has died has nobody to tell
}


@cache
def parse(name):
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def package_of(name):
    return name.split(".")[1] if name.count(".") else ""


def calls_of(name):
    """Return what a module calls, as it is written there: `open`, `os.path.exists`."""
    calls = {ast.unparse(node.func) for node in ast.walk(parse(name)) if isinstance(node, ast.Call)}
    return {call for call in calls if (name, call) not in ALLOWED}


def callers(calls, *, but):
    return {
        (name, call)
        for name in MODULES
        if package_of(name) not in but
        for call in calls_of(name) & calls
    }


def imports_of(name):
    """Return the modules of the package that a module imports anywhere, for types too."""
    found = set()
    for node in ast.walk(parse(name)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found.update(inner if inner in MODULES else node.module for inner in names)
    as_files = {found if found in MODULES else f"{found}.__init__" for found in found}
    return as_files & MODULES.keys()


def functions():
    for name in MODULES:
        for node in ast.walk(parse(name)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if body:
                    yield f"{name}.{node.name}", body[-1].end_lineno - body[0].lineno + 1


def test_a_call_is_seen_under_its_written_name():
    assert "os.open" in calls_of("tfrec.storage.local")
    assert "tfrec.storage.base" in imports_of("tfrec.storage.local")


@pytest.mark.parametrize(
    ("calls", "packages"),
    [
        (OPENING, {"storage"}),
        (STARTING, {"pipeline", "engine"}),
        (ENDING, {"cli"}),
        (WAITING, set()),
    ],
    ids=["paths are opened", "threads start", "words and exits", "nothing sleeps"],
)
def test_each_outside_thing_has_one_door(calls, packages):
    assert set() == callers(calls, but=packages)


def test_protobuf_is_touched_by_the_messages_alone():
    users = {
        name
        for name in MODULES
        for node in ast.walk(parse(name))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("google.protobuf")
    }

    assert {"tfrec.example.messages"} == users


def test_nothing_imports_the_root():
    assert [] == [name for name in MODULES if "tfrec.__init__" in imports_of(name)]


def test_no_cycle_of_imports_even_for_types():
    graph = {name: imports_of(name) - {name} for name in MODULES if name != "tfrec.__init__"}

    TopologicalSorter(graph).prepare()  # raises CycleError


def test_no_module_is_named_for_nothing():
    assert set() == {name for name in MODULES if NAMED_FOR_NOTHING & set(name.split("."))}


def test_modules_are_at_most_300_lines():
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in MODULES.items()}

    assert {} == {name: number for name, number in lines.items() if number > 300}


def test_function_bodies_fit_on_a_screen():
    lengths = dict(functions())

    assert {} == {name: length for name, length in lengths.items() if length > 80}
    assert statistics.quantiles(lengths.values(), n=20)[-1] <= 40
