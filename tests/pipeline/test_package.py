"""What holds for the whole package: no polling, no numpy at start, nothing printed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tfrec.pipeline

SOURCES = sorted(Path(tfrec.pipeline.__file__).parent.glob("*.py"))
TREES = {path.name: ast.parse(path.read_text()) for path in SOURCES}


def calls_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            yield name, node


@pytest.mark.parametrize("name", TREES)
def test_nothing_sleeps_or_prints(name):
    called = {call for call, _ in calls_of(TREES[name])}

    assert set() == called & {"sleep", "print", "select", "sched_yield"}


@pytest.mark.parametrize("name", TREES)
def test_no_wait_has_a_timeout_that_is_written_down(name):
    """Timeouts come from callers; the numbers that exist are named constants."""
    literal = [
        node.lineno
        for call, node in calls_of(TREES[name])
        if call in {"wait", "join", "acquire", "get", "wait_for_stop"}
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, float)
    ]

    assert [] == literal


def test_import_loads_neither_numpy_nor_the_modules():
    code = "import sys, tfrec.pipeline; print('numpy' in sys.modules, 'tfrec.pipeline.queue' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False False" == done.stdout.strip()


def test_every_public_name_is_there():
    names = tfrec.pipeline.__all__

    assert sorted(names) == names
    assert set(names) == set(tfrec.pipeline._MODULES)
    assert all(getattr(tfrec.pipeline, name) is not None for name in names)


def test_other_names_are_no_attributes():
    with pytest.raises(AttributeError, match="no_such_name"):
        tfrec.pipeline.no_such_name  # noqa: B018
