#!/bin/sh
# Compile example.proto to the one descriptor file in the package. protoc comes from grpcio-tools,
# in a venv of its own: its protobuf must not become the one the package is tested with.
set -eu
cd "$(dirname "$0")/.."
venv=.venv-proto
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check grpcio-tools==1.76.0
"$venv/bin/python" -m grpc_tools.protoc -Iproto \
    --descriptor_set_out=tfrec/example/example.binpb example.proto
