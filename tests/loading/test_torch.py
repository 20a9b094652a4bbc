"""Each worker of a DataLoader reads records of its own."""

import pytest

from tfrec.dataset.reading import open_dataset
from tfrec.example import encode_example
from tfrec.loading import Loader, ReadOptions
from tfrec.wire import frame_record

torch = pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore:This DataLoader will create 4 worker")
@pytest.mark.parametrize("num_workers", [0, 1, 4])
def test_each_label_comes_once(tmp_path, num_workers):
    from tfrec.loading.torch import TorchDataset

    examples = [encode_example({"label": n, "img_raw": bytes([n]) * 12}) for n in range(100)]
    path = tmp_path / "x.tfrecord"
    path.write_bytes(b"".join(map(frame_record, examples)))
    dataset = TorchDataset(Loader(open_dataset(path), ReadOptions(batch_size=8)))

    batches = list(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=num_workers))

    assert list(range(100)) == sorted(int(label) for _, labels in batches for label in labels)
    images, labels = batches[0]
    assert ((8, 3, 2, 2), torch.uint8) == (tuple(images.shape), images.dtype)
    assert labels.tolist() == images[:, 0, 1, 1].tolist()
