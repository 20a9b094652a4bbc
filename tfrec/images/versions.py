"""The versions that decide the pixels: another Pillow or libjpeg may decode or resize otherwise."""

import PIL
from PIL import features


def find_versions() -> dict[str, str]:
    """Return the versions of Pillow and of the libjpeg it was built with."""
    kind = "libjpeg-turbo" if features.check_feature("libjpeg_turbo") else "libjpeg"
    version = features.version_feature("libjpeg_turbo") or features.version_codec("jpg")
    return {"pillow": PIL.__version__, "libjpeg": f"{kind} {version}"}
