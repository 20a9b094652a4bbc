"""Labelled images of a directory."""
