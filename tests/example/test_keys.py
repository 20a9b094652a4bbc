"""The keys of features, in the words of messages."""

import pytest

from tfrec.example.keys import list_keys


@pytest.mark.parametrize(
    ("keys", "wanted", "expected"),
    [
        ([], ["label"], "none"),
        (["image", "label"], [], "'image', 'label'"),
        (["image", "label"], ["weight"], "'image', 'label'"),
        (["image", "label"], ["lable"], "'image', 'label'; did you mean 'label'?"),
        (["image", "label"], ["weight", "img"], "'image', 'label'; did you mean 'image'?"),
    ],
)
def test_keys_are_listed_with_the_one_that_may_be_meant(keys, wanted, expected):
    assert expected == list_keys(keys, wanted)
