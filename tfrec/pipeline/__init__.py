"""Queues, threads and their coordinator."""
