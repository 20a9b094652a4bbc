import pytest

from tfrec.errors import ConfigError, SourceError
from tfrec.source.labels import LabelMap
from tfrec.source.table import scan_table
from tfrec.storage import MemoryStorage


def scan(table, *paths, **options):
    files = {f"photos/{path}": b"" for path in paths or ("a.png", "b.png", "c.png")}
    table = table if isinstance(table, bytes) else table.encode()
    return scan_table("t.csv", "photos", storage=MemoryStorage(files | {"t.csv": table}), **options)


def test_images_and_classes_come_from_the_rows():
    source = scan("b.png,dog\na.png,cat\nc.png,dog\n")

    assert [("a.png", 0), ("b.png", 1), ("c.png", 1)] == [image[:2] for image in source]
    assert ("cat", "dog") == source.labels.names
    assert "photos" == source.directory
    assert () == source.columns
    assert {} == source.values


@pytest.mark.parametrize(
    "table",
    [
        "path,label\na.png,cat\nb.png,dog\n",
        "\ufeffpath,label\na.png,cat\nb.png,dog\n",
        "label,filename\ncat,a.png\ndog,b.png\n",
        "Image, Class \r\na.png, cat\r\nb.png,dog\r\n",
        "path\tlabel\na.png\tcat\nb.png\tdog\n",
        '"path","label"\n"a.png","cat"\n\n"b.png","dog"\n,\n',
        "file_name,breed\n./a.png,cat\nx/../b.png,dog",
        "a.png,cat\nb.png,dog",
    ],
)
def test_every_form_of_table_is_read(table):
    assert [("a.png", 0), ("b.png", 1)] == [image[:2] for image in scan(table)]


def test_further_columns_are_kept_as_values():
    source = scan('weight,path,place,label\n3.5,a.png,"Bonn, am Rhein",cat\n4,b.png,,dog\n')

    assert ("weight", "place") == source.columns
    assert {"a.png": ("3.5", "Bonn, am Rhein"), "b.png": ("4", "")} == source.values


def test_a_header_is_read_in_any_case_and_without_the_spaces_around():
    source = scan(" Weight , Class , Image \n9, cat , a.png \n")

    assert [("a.png", 0)] == [image[:2] for image in source]
    assert ("cat",) == source.labels.names
    assert ("Weight",) == source.columns


def test_further_columns_without_a_header_are_named_by_their_place():
    source = scan("a.png,cat,x,y\n")

    assert ("column_3", "column_4") == source.columns
    assert {"a.png": ("x", "y")} == source.values


def test_a_file_called_as_a_column_is_no_header():
    assert [("image", 0)] == [image[:2] for image in scan("image,cat\n", "image")]


def test_what_is_a_header_can_be_said():
    assert [("a.png", 0)] == [
        image[:2] for image in scan("where,what\na.png,cat\n", has_header=True)
    ]
    with pytest.raises(SourceError, match="line 1 names `path`"):
        scan("path,label\n", has_header=False)


def test_the_delimiter_can_be_said():
    assert [("a.png", 0)] == [image[:2] for image in scan("a.png;cat\n", delimiter=";")]


def test_names_that_are_no_utf8_are_kept():
    source = scan(b"\xff.png,caf\xe9\n", "\udcff.png")

    assert [("\udcff.png", 0)] == [image[:2] for image in source]
    assert ("caf\udce9",) == source.labels.names


def test_a_missing_file_is_noted_with_its_line_and_left_out():
    source = scan("path,label\na.png,cat\nz.png,cat\n")

    assert [("a.png", 0)] == [image[:2] for image in source]
    assert [("missing file", "z.png")] == [(note.kind, note.path) for note in source.notes]
    assert "t.csv: line 3 names `z.png`, and there is no such file" == source.notes[0].sentence
    assert source.notes[0].is_left_out


def test_a_missing_path_with_backslashes_is_told_how_to_write_folders():
    source = scan("cat\\a.png,cat\nb.png,dog\n", "cat/a.png", "b.png")

    assert source.notes[0].sentence.endswith("no such file; write `/` between folders")


def test_a_table_in_utf16_is_refused():
    with pytest.raises(SourceError, match=r"^t.csv: it is UTF-16; save the table as UTF-8$"):
        scan("a.png\tcat\n".encode("utf-16"))


def test_a_delimiter_of_several_characters_is_refused():
    with pytest.raises(ConfigError, match="', '"):
        scan("a.png, cat\n", delimiter=", ")


@pytest.mark.parametrize(
    ("line", "label"),
    [("a.png;cat\n", "cat"), ("a.png;cat,old\n", None), ("a.png\tcat;old\n", "cat;old")],
)
def test_the_first_line_says_what_parts_the_cells(line, label):
    """A tab comes before a comma, and that before a semicolon."""
    if label is None:
        with pytest.raises(SourceError):
            scan(line)
    else:
        assert (label,) == scan(line).labels.names


def test_a_directory_is_no_image():
    source = scan("cat/a.png,cat\ncat,cat\n", "cat/a.png")

    assert ["missing file"] == [note.kind for note in source.notes]


def test_a_repeated_row_is_noted_with_both_lines_and_taken_once():
    source = scan("a.png,cat\nb.png,dog\n./a.png,cat\n")

    assert [("a.png", 0), ("b.png", 1)] == [image[:2] for image in source]
    assert ["t.csv: line 3 names `a.png`, as line 1 does"] == [n.sentence for n in source.notes]
    assert not source.notes[0].is_left_out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "it has no row"),
        ("\n,\n", "it has no row"),
        ("path,label\n", "it names no image of photos"),
        ("z.png,cat\n", "it names no image of photos; t.csv: line 1 names `z.png`"),
        ("a.png,cat\na.png,dog\n", "line 2: `a.png` is of the class `dog`, and of `cat` in line 1"),
        ("a.png,cat\nb.png\n", "line 2: it has 1 cell, and the first row has 2"),
        ("a.png,cat\nb.png,dog,x\n", "line 2: it has 3 cells, and the first row has 2"),
        ("a.png\n", "line 1: it has 1 cell, and the first row has 2"),
        ("a.png,\n", "line 1: the label is empty"),
        ("a.png,cat\n,dog\n", "line 2: the path is empty"),
        ("../a.png,cat\n", "line 1: the path `../a.png` is not below"),
        ("a\0.png,cat\n", r"line 1: the path `a\\x00.png` is not below"),
        ("/etc/a.png,cat\n", "line 1: the path `/etc/a.png` is not below"),
        ('a.png,cat\n"b.png,dog\n', "line 2: unexpected end of data"),
        ('a.png,"cat"s\n', "line 1: "),
    ],
)
def test_a_faulty_table_is_refused_with_the_line(table, message):
    with pytest.raises(SourceError, match=f"^t.csv: {message}"):
        scan(table)


def test_fixed_labels_refuse_a_class_that_they_lack():
    with pytest.raises(SourceError, match="`eel` of `b.png` is not among the 2 labels"):
        scan("a.png,cat\nb.png,eel\n", labels=LabelMap(("cat", "dog")))


def test_a_table_that_does_not_exist_is_an_error_that_names_it():
    with pytest.raises(FileNotFoundError) as caught:
        scan_table("no.csv", "photos", storage=MemoryStorage({"photos/a.png": b""}))

    assert "no.csv" == caught.value.filename


def test_the_order_of_rows_never_matters():
    rows = ["c.png,dog,1", "a.png,cat,2", "b.png,dog,3"]

    assert scan("\n".join(rows)) == scan("\n".join(reversed(rows)))
