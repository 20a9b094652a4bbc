"""The descriptor file in the package, and the pool it is loaded into."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from tfrec.example import messages

ROOT = Path(messages.__file__).parents[2]
PROTO = ROOT / "proto" / "example.proto"
DESCRIPTORS = Path(messages.__file__).with_name("example.binpb")


def fields_of_proto_text(text):
    """Return `message.field` -> (number, type, repeated) as a file of plain messages writes it."""
    fields = {}
    message = ""
    for line in text.splitlines():
        if opened := re.match(r"message (\w+) \{", line):
            message = opened[1]
        elif field := re.match(r"\s+(repeated )?([\w<>, ]+) (\w+) = (\d+)", line):
            fields[message, field[3]] = (int(field[4]), field[2], bool(field[1]))
    return fields


def fields_of_descriptors(file):
    """Return the same of a FileDescriptorProto."""
    fields = {}
    for message in file.message_type:
        entries = {nested.name: nested for nested in message.nested_type}
        for field in message.field:
            repeated = field.label == FieldDescriptorProto.LABEL_REPEATED
            type_name = type_of(field)
            if type_name in entries:
                key, value = entries[type_name].field
                type_name, repeated = f"map<{type_of(key)}, {type_of(value)}>", False
            fields[message.name, field.name] = (field.number, type_name, repeated)
    return fields


def type_of(field):
    """Return a field's type as a proto file spells it."""
    if field.type_name:
        return field.type_name.rpartition(".")[2]
    return FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()


@pytest.fixture
def proto_file():
    if not PROTO.exists():
        pytest.skip("proto/ is not part of an installed package")
    return PROTO


def test_the_descriptor_file_holds_the_fields_of_the_proto_file(proto_file):
    (file,) = FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file

    assert fields_of_proto_text(proto_file.read_text()) == fields_of_descriptors(file)


def test_the_descriptor_file_is_what_protoc_makes_of_the_proto_file(proto_file, tmp_path):
    pytest.importorskip("grpc_tools", reason="needs grpcio-tools")
    made = tmp_path / "made.binpb"
    outputs = [f"--descriptor_set_out={made}", "example.proto"]
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{proto_file.parent}", *outputs],
        check=True,
    )

    assert made.read_bytes() == DESCRIPTORS.read_bytes()


def test_the_default_pool_does_not_learn_our_messages():
    pool = descriptor_pool.Default()

    with pytest.raises(KeyError):
        pool.FindMessageTypeByName("tfrec.Example")


def test_numeric_lists_are_packed():
    serialized = messages.serialize_int64_list([1, 300, -1])

    assert bytes.fromhex("0a0d 01 ac02 ffffffffffffffffff01") == serialized


def test_a_sequence_example_has_the_numbers_of_the_format():
    sequence = messages.SequenceExample()
    sequence.context.feature["c"].int64_list.value.append(5)
    sequence.feature_lists.feature_list["f"].feature.add().bytes_list.value.append(b"x")
    context = bytes.fromhex("0a0c 0a0a 0a0163 1205 1a03 0a0105")
    feature_lists = bytes.fromhex("120e 0a0c 0a0166 1207 0a05 0a03 0a0178")

    assert context + feature_lists == sequence.SerializeToString(deterministic=True)
