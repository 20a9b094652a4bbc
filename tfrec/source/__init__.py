"""Labelled images: from a directory or a table to classes, numbers and splits."""
