"""Executors that run the tasks of a build."""
