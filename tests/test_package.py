"""What `help(tfrec)` and `dir(tfrec)` show."""

import tfrec


def test_dir_has_the_names_that_are_not_loaded_yet():
    assert [] == sorted(set(tfrec.__all__) - set(dir(tfrec)))


def test_the_help_names_each_of_them():
    listed = set(tfrec.__doc__.replace(",", " ").split())

    assert {"__version__"} == set(tfrec.__all__) - listed
