"""Image files straight from a directory: loaded, decoded and preprocessed in eight threads.

    python image_batches.py photos/

`photos/` has one folder per class. What `train` gets are batches of 32 images of 224x224 and their
labels; the threads work ahead of it, up to 256 images.
"""

import os
import sys
from collections.abc import Callable

import numpy as np
from PIL import Image

from tfrec.pipeline import Coordinator, batch, slice_input_producer

SIZE = 224


def find_images(directory: str) -> tuple[list[str], list[int]]:
    """Return file names and labels; classes are numbered in the order of their names."""
    names: list[str] = []
    labels: list[int] = []
    for label, class_name in enumerate(sorted(os.listdir(directory))):
        folder = os.path.join(directory, class_name)
        for name in sorted(os.listdir(folder)):
            names.append(os.path.join(folder, name))
            labels.append(label)
    return names, labels


def preprocess(name: str) -> np.ndarray:
    """Scale the shorter side to 256 pixels and cut out the middle."""
    with Image.open(name) as stored:
        image = stored.convert("RGB")
    scale = 256 / min(image.size)
    width, height = (round(side * scale) for side in image.size)
    left, top = (width - SIZE) // 2, (height - SIZE) // 2
    image = image.resize((width, height)).crop((left, top, left + SIZE, top + SIZE))
    return np.asarray(image)


def train_on(
    directory: str, train: Callable[[np.ndarray, np.ndarray], None], num_epochs: int = 1
) -> None:
    """Call `train` with batches: images uint8 of (n, 224, 224, 3), labels int64 of (n,)."""
    names, labels = find_images(directory)
    with Coordinator():
        rows = slice_input_producer([names, labels], num_epochs=num_epochs, shuffle=True)

        def sample() -> tuple[np.ndarray, int]:  # runs in eight threads; its end is that of `rows`
            name, label = rows.get()
            return preprocess(name), label

        batches = batch(
            sample, batch_size=32, num_threads=8, capacity=256, allow_smaller_final_batch=True
        )
        for images, image_labels in batches:
            train(images, image_labels)


if __name__ == "__main__":
    train_on(sys.argv[1], lambda images, labels: print(images.shape, labels))
