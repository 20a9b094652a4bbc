"""Settings of Hypothesis."""

import os

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
