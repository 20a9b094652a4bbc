"""Settings of Hypothesis, and where files made by others are."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: only what the code does is.
settings.register_profile(
    "tfrec",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.load_profile("tfrec")


@pytest.fixture(scope="session")
def shared():
    """Return the directory of files made by others, beside the checkout; skip without it."""
    directory = Path(os.environ.get("TFREC_SHARED", Path(__file__).parents[2] / "shared"))
    if not directory.is_dir():
        pytest.skip(f"there is no {directory}")
    return directory
