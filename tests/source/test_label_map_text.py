import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import SourceError
from tfrec.source.label_map_text import LabelEntry, is_label_map, parse_label_map


def make_map_class():
    """Return protobuf's own StringIntLabelMap, which prints the format independently."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="label_map.proto", package="test")
    item = file.message_type.add(name="Item")
    item.field.add(name="name", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    item.field.add(name="id", number=2, type=field.TYPE_INT32, label=field.LABEL_OPTIONAL)
    item.field.add(name="ancestor_ids", number=3, type=field.TYPE_INT32, label=field.LABEL_REPEATED)
    whole = file.message_type.add(name="Map")
    whole.field.add(
        name="item",
        number=1,
        type=field.TYPE_MESSAGE,
        type_name=".test.Item",
        label=field.LABEL_REPEATED,
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("test.Map"))


MAP_CLASS = make_map_class()


@given(
    items=st.lists(
        st.tuples(st.text(min_size=1), st.integers(0, 2**31 - 1), st.lists(st.integers(0, 9))),
        min_size=1,
    ),
    as_utf8=st.booleans(),
    as_one_line=st.booleans(),
)
def test_reads_what_protobuf_prints(items, as_utf8, as_one_line):
    message = MAP_CLASS()
    for name, number, ancestors in items:
        message.item.add(name=name, id=number, ancestor_ids=ancestors)
    text = text_format.MessageToString(message, as_utf8=as_utf8, as_one_line=as_one_line)

    entries = parse_label_map(text, "x")

    assert is_label_map(text)
    assert [(name, number) for name, number, _ in items] == [
        (entry.name, entry.number) for entry in entries
    ]


def test_comments_separators_and_other_fields_are_read_over():
    text = """
        # a comment with { braces
        item: {
          name: "/m/01g317", id: 1;   # another
          display_name: 'person'
          keypoints { id: 7 label: "nose" }
          keypoints: < id: 8, label: "eye" >
          ancestor_ids: ["a", 'b'] parts: [ ] more: [ < id: 9 > ]
          score: -1.5e-3
        }
    """

    assert [LabelEntry(3, 1, "/m/01g317")] == parse_label_map(text, "x")


def test_the_display_name_stands_in_for_a_missing_name():
    text = "item < id: 3 display_name: 'per' \"son\" >"

    assert [LabelEntry(1, 3, "person")] == parse_label_map(text, "x")


@pytest.mark.parametrize(
    ("literal", "name"),
    [
        (r"'\303\251t\xc3\xa9'", "été"),
        (r"'caf\351'", "caf\udce9"),
        (r"'\u00e9\U0001f600'", "é😀"),
        (r'"a\"b\\c\'d"', "a\"b\\c'd"),
        (r"'a\tb'", "a\tb"),
        ("'# no comment'", "# no comment"),
    ],
)
def test_escapes_in_strings_are_resolved(literal, name):
    assert [LabelEntry(1, 1, name)] == parse_label_map(f"item {{ id: 1 name: {literal} }}", "x")


@pytest.mark.parametrize("text", ["items\nitem\n", "cat\ndog\n", "item 1\n", ""])
def test_a_list_of_names_is_no_label_map(text):
    assert not is_label_map(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item {\n id: 1\n name: 'a'\n", "line 4: expected a word, found the end"),
        ("item {\n id: 1 name: \n}", "line 3: expected a string, found `}`"),
        ("item { id: 1 name: 'a' }\nthing { }", "line 2: expected `item`, found `thing`"),
        ("item { id: 1\n name: 'a }", "line 2: expected a string, found `'`"),
        ("item { id: 1 }", "line 1: the item has no name"),
        ("\nitem { name: 'a' }", "line 2: the item `a` has no `id`"),
        ("item { id: -1 name: 'a' }", "line 1: the item `a` has no `id` from 0 on"),
        ("item { id: 1 name: 'a' >", "line 1: expected a word, found `>`"),
    ],
)
def test_a_fault_is_told_with_its_line(text, message):
    with pytest.raises(SourceError, match=f"^x: {message}"):
        parse_label_map(text, "x")


@given(text=st.text("item{}<>[]:;,'\"\\#\n0 ", max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        parse_label_map("item {" + text, "x")
    except SourceError as error:
        assert str(error).startswith("x: line ")
