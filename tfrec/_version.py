"""The version, for the build of the package, the manifest and `--version`."""

__version__ = "0.1.0"
