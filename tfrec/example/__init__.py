"""Features <-> bytes."""
