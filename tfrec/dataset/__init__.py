"""File names, manifest, plan, and the metadata of other tools."""
