"""Pixels <-> bytes."""
