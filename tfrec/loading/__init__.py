"""Datasets as iterators for training frameworks."""
