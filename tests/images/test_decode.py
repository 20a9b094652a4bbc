import io
import threading

import pytest
from PIL import Image, ImageOps

from tfrec.images import ImageSettings, SourceInfo, decode_image

AS_STORED = ImageSettings(size=None)

TURNED = {1: "RGBY", 2: "GRYB", 3: "YBGR", 4: "BYRG", 5: "RBGY", 6: "BRYG", 7: "YGBR", 8: "GYRB"}


class TestSize:
    def test_right_size_keeps_every_byte(self, save, noise):
        image = noise()

        assert image.tobytes() == decode_image(save(image), path="x").tobytes()

    @pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
    def test_other_sizes_are_exactly_pillows_default_resize(self, save, mode, noise):
        data = save(noise(300, 200, mode), "TIFF")

        expected = Image.open(io.BytesIO(data)).convert("RGB").resize((256, 256))

        assert expected.tobytes() == decode_image(data, path="x").tobytes()

    @pytest.mark.parametrize("orientation", [1, 6])
    def test_jpeg_is_exactly_pillows_transpose_and_resize(self, save, orientation, noise, oriented):
        data = save(noise(500, 375), "JPEG", exif=oriented(orientation))

        upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))

        assert upright.resize((256, 256)).tobytes() == decode_image(data, path="x").tobytes()


class TestOrientation:
    @pytest.mark.parametrize("pillow_format", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_image_is_upright(
        self, save, pillow_format, orientation, quadrants, read_quadrants, oriented
    ):
        data = save(quadrants(), pillow_format, exif=oriented(orientation))

        image = decode_image(data, path="x", settings=AS_STORED)

        assert TURNED[orientation] == read_quadrants(image)
        upright = (200, 300) if orientation > 4 else (300, 200)
        assert upright == (image.width, image.height)

    @pytest.mark.parametrize("pillow_format", ["JPEG", "PNG", "TIFF"])
    @pytest.mark.parametrize("orientation", [1, 6])
    def test_source_says_whether_it_was_upright(
        self, save, pillow_format, orientation, quadrants, oriented
    ):
        image = decode_image(
            save(quadrants(), pillow_format, exif=oriented(orientation)),
            path="x",
            settings=AS_STORED,
        )

        assert (orientation == 1) is image.source.is_upright is image.is_as_stored

    @pytest.mark.parametrize("orientation", [0, 9, 65535])
    def test_orientation_out_of_range_is_ignored(
        self, save, orientation, quadrants, read_quadrants, oriented
    ):
        data = save(quadrants(), "JPEG", exif=oriented(orientation))

        assert "RGBY" == read_quadrants(decode_image(data, path="x"))

    def test_xmp_orientation_counts(self, save, quadrants, read_quadrants):
        xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'

        assert TURNED[6] == read_quadrants(
            decode_image(save(quadrants(), "JPEG", xmp=xmp), path="x")
        )


class TestHeif:
    @pytest.mark.parametrize("orientation", [1, 6])
    def test_photo_is_read_upright(self, orientation, quadrants, read_quadrants, oriented):
        pillow_heif = pytest.importorskip("pillow_heif")
        target = io.BytesIO()
        pillow_heif.from_pillow(quadrants()).save(
            target, quality=90, exif=oriented(orientation).tobytes()
        )

        image = decode_image(target.getvalue(), path="x")

        assert TURNED[orientation] == read_quadrants(image)
        assert "HEIF" == image.source.format


class TestFirstFrame:
    @pytest.mark.parametrize("pillow_format", ["GIF", "PNG", "WEBP", "TIFF", "MPO", "AVIF"])
    def test_first_frame_is_taken(self, save, pillow_format):
        frames = [Image.new("RGB", (32, 32), colour) for colour in ((200, 30, 60), (0, 90, 255))]
        lossless = {"WEBP": {"lossless": True}, "AVIF": {"quality": 100}, "MPO": {"quality": 100}}

        data = save(
            frames[0],
            pillow_format,
            save_all=True,
            append_images=frames[1:],
            **lossless.get(pillow_format, {}),
        )

        assert pytest.approx((200, 30, 60), abs=2) == tuple(
            decode_image(data, path="x").tobytes()[:3]
        )

    def test_icon_gives_its_largest_image(self, save):
        data = save(
            Image.new("RGBA", (64, 64), (1, 2, 3, 255)), "ICO", sizes=[(16, 16), (64, 64), (32, 32)]
        )

        assert 64 == decode_image(data, path="x", settings=AS_STORED).width

    def test_multi_picture_jpeg_counts_as_jpeg(self, save, noise):
        data = save(noise(8, 8), "MPO", save_all=True, append_images=[noise(8, 8)])

        assert "JPEG" == decode_image(data, path="x").source.format


def test_source_tells_format_mode_and_upright_size(save, quadrants, oriented):
    data = save(quadrants().convert("L"), "TIFF", exif=oriented(6))

    source = decode_image(data, path="x").source

    assert SourceInfo("TIFF", "L", 200, 300, is_upright=False) == source


@pytest.mark.parametrize(
    ("pillow_format", "suffix"),
    [("JPEG", ".jpg"), ("PNG", ".png"), ("TIFF", ".tif"), ("WEBP", ".webp")],
)
def test_source_knows_its_suffix(save, pillow_format, suffix, noise):
    assert suffix == decode_image(save(noise(8, 8), pillow_format), path="x").source.suffix


def test_many_threads_decode_as_one_does(save, noise):
    files = [
        save(noise(100 + seed, 80, seed=seed), kind)
        for seed in range(4)
        for kind in ("JPEG", "PNG", "GIF")
    ]
    expected = [decode_image(data, path="x").tobytes() for data in files]
    found = {}
    start = threading.Barrier(8)

    def decode_all(number):
        start.wait()
        found[number] = [decode_image(data, path="x").tobytes() for data in files]

    threads = [threading.Thread(target=decode_all, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert dict.fromkeys(range(8), expected) == found
