"""A dataset for `torch.utils.data.DataLoader`; needs torch."""

from collections.abc import Iterator

import torch
from torch.utils.data import IterableDataset, get_worker_info

from tfrec.loading.loader import Loader


class TorchDataset(IterableDataset):
    """Yields (images, labels) tensors: uint8 (n, channels, height, width) and int64 (n,).

    Give it to `DataLoader(dataset, batch_size=None, num_workers=N)`: batches are made here, and
    each worker of the DataLoader reads records of its own.
    """

    def __init__(self, loader: Loader) -> None:
        super().__init__()
        self.loader = loader

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield this worker's batches."""
        info = get_worker_info()
        loader = self.loader if info is None else self.loader.for_worker(info.id, info.num_workers)
        for images, labels in loader:
            yield torch.from_numpy(images).permute(0, 3, 1, 2), torch.from_numpy(labels)
