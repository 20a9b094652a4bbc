"""What `help(tfrec)` and `dir(tfrec)` show."""

import pytest

import tfrec
import tfrec.images


@pytest.mark.parametrize("package", [tfrec, tfrec.images])
def test_dir_has_the_names_that_are_not_loaded_yet(package):
    assert [] == sorted(set(package.__all__) - set(dir(package)))


def test_the_help_names_each_of_them():
    listed = set(tfrec.__doc__.replace(",", " ").split())

    assert {"__version__"} == set(tfrec.__all__) - listed
