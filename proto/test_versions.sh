#!/bin/sh
# Test the Example code with each protobuf in use, in C and in pure Python.
set -eu
cd "$(dirname "$0")/.."
for version in 4.25 5 6 7; do
    venv=.venv-protobuf-$version
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        "protobuf==$version.*" numpy pytest pytest-timeout hypothesis
    for implementation in upb python; do
        echo "protobuf $version, $implementation"
        PYTHONPATH=. PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=$implementation \
            "$venv/bin/python" -m pytest --quiet tests/example -m "not fuzz"
    done
done
