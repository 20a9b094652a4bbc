"""The parts of a build: records and shards made by workers, what is kept of earlier builds."""
