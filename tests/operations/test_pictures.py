"""A record as a picture: what a decode thread of a dump makes of it."""

from tfrec.dataset.description import RecordFile
from tfrec.example import encode_example
from tfrec.images import make_codec
from tfrec.operations.pictures import PictureMaker
from tfrec.operations.selection import SelectedRecord


def test_the_folder_has_the_name_that_tfds_gives_the_class():
    file = RecordFile("x.tfrecord", class_names={3: "daisy"}, described_by="dataset_info.json")
    record = encode_example({"label": 3, "img_raw": bytes(12)})

    picture = PictureMaker(make_codec("png"), size=(2, 2))(SelectedRecord(file, 7, 0, record))

    assert ("daisy", 7, ".png") == (picture.folder, picture.record_index, picture.suffix)
