"""How a dataset is read for training."""

from dataclasses import dataclass

from tfrec.errors import ConfigError

_AT_LEAST_ONE = (
    "batch_size",
    "num_epochs",
    "buffer_size",
    "num_threads",
    "prefetch",
    "num_workers",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How a `Loader` reads; never what the dataset holds.

    Attributes:
        batch_size: samples in a batch.
        drop_remainder: leave out a last batch that is smaller.
        num_epochs: how often everything is read; None reads without end.
        shuffle: read the files in another order in each epoch, and mix records in a buffer.
        buffer_size: records of the buffer. Files sorted by class need one larger than a class, or
            a build with `--shuffle`.
        seed: of the shuffling; the same seed gives the same order, with any number of threads.
        num_threads: that decode; None for one a core. One decodes in the caller, when it is asked.
        prefetch: batches that several threads are decoding, or have decoded, ahead of the caller;
            small ones are as many more as give each thread something to decode.
        num_workers: how many loaders share the records, such as the workers of a torch DataLoader
            or the hosts of a cluster; each record goes to one of them in each epoch.
        worker: the number of this loader among them, from 0.
    """

    batch_size: int = 32
    drop_remainder: bool = False
    num_epochs: int | None = 1
    shuffle: bool = False
    buffer_size: int = 10_000
    seed: int = 0
    num_threads: int | None = None
    prefetch: int = 2
    num_workers: int = 1
    worker: int = 0

    def __post_init__(self) -> None:
        for name in _AT_LEAST_ONE:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name} is {value}, and must be at least 1")
        if not 0 <= self.worker < self.num_workers:
            raise ConfigError(
                f"worker is {self.worker}, and must be from 0 to {self.num_workers - 1}"
            )
