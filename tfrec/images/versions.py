"""The versions that decide the pixels: another Pillow or libjpeg may decode or resize otherwise."""

import PIL
from PIL import features

from tfrec.images.fast import find_resizer_version
from tfrec.images.settings import ImageSettings

_DEFAULTS = ImageSettings()


def find_versions(settings: ImageSettings = _DEFAULTS) -> dict[str, str]:
    """Return the versions of Pillow, of the libjpeg it was built with, and of the resizer in use.

    Raises:
        ConfigError: the settings need an extra that is not installed.
    """
    kind = "libjpeg-turbo" if features.check_feature("libjpeg_turbo") else "libjpeg"
    version = features.version_feature("libjpeg_turbo") or features.version_codec("jpg")
    versions = {"pillow": PIL.__version__, "libjpeg": f"{kind} {version}"}
    return versions | find_resizer_version() if settings.fast else versions
