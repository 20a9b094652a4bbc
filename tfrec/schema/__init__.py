"""Which features a dataset stores: sample <-> Example."""
