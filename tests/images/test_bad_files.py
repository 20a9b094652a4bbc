import io
import re
import struct
import sys

import pytest
from PIL import Image, __version__

from tfrec.errors import ImageError
from tfrec.images import ImageSettings, decode_image


class TestBadFiles:
    def reason(self, data, **settings):
        with pytest.raises(ImageError) as raised:
            decode_image(data, path="cat/z.jpg", settings=ImageSettings(**settings))
        assert "cat/z.jpg" == raised.value.path
        assert "\n" not in raised.value.reason
        return raised.value.reason

    def test_empty_file(self):
        assert "is empty (0 bytes)" == self.reason(b"")

    @pytest.mark.parametrize("missing", [1, 2, 3, 10, 1000])
    def test_jpeg_without_its_last_bytes(self, save, missing, noise):
        assert "is cut short: a JPEG image without an end marker" == self.reason(
            save(noise(), "JPEG")[:-missing]
        )

    @pytest.mark.parametrize("kept", [0.5, 0.7, 0.9])
    def test_jpeg_filled_up_with_zeros(self, save, kept, noise, with_segment):
        thumbnail = save(noise(16, 16), "JPEG")
        whole = with_segment(save(noise(64, 64), "JPEG"), 0xE2, thumbnail)
        cut = int(len(whole) * kept)

        assert "is cut short" in self.reason(whole[:cut] + bytes(len(whole) - cut))

    def test_jpeg_with_bytes_after_its_end_is_good(self, save, noise):
        image = save(noise(), "JPEG")

        assert (
            decode_image(image, path="x").tobytes()
            == decode_image(image + b"\r\n\0", path="x").tobytes()
        )

    @pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
    @pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
    @pytest.mark.parametrize("options", [{}, {"restart_marker_blocks": 1}], ids=["", "restarts"])
    def test_jpeg_cut_short_and_ended(self, save, noise, mode, kept, options):
        """Without a look at the pixels it would be grey from there on."""
        whole = save(noise(200, 150, mode), "JPEG", **options)
        start = whole.index(b"\xff\xda")
        cut = whole[: start + int(kept * (len(whole) - start))].rstrip(b"\xff")

        assert "is cut short: a JPEG image whose data end too early" == self.reason(
            cut + b"\xff\xd9"
        )

    @pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
    @pytest.mark.parametrize(
        "options",
        [{}, {"restart_marker_blocks": 1}, {"progressive": True}, {"optimize": True}],
        ids=["", "restarts", "progressive", "optimize"],
    )
    def test_jpeg_that_is_gray_at_its_end_is_good(self, save, noise, mode, options):
        image = noise(200, 150, mode)
        image.paste(Image.new("L", (200, 75), 128).convert(mode), (0, 75))
        data = save(image, "JPEG", **options)

        decoded = decode_image(data, path="x", settings=ImageSettings(size=None))

        with Image.open(io.BytesIO(data)) as expected:
            assert expected.convert("RGB").tobytes() == decoded.tobytes()

    def test_jpeg_cut_short_is_seen_when_reduced(self, save, noise):
        pytest.importorskip("cykooz_resizer")
        whole = save(noise(200, 150), "JPEG")

        assert "is cut short: a JPEG image whose data end too early" == self.reason(
            whole[: len(whole) // 2].rstrip(b"\xff") + b"\xff\xd9", fast=True, size=(20, 15)
        )

    @pytest.mark.parametrize(
        "pillow_format",
        [
            "PNG",
            "GIF",
            "WEBP",
            "BMP",
            "TIFF",
            "AVIF",
            "JPEG2000",
            "PPM",
            "TGA",
            "PCX",
            "ICO",
            "QOI",
        ],
    )
    def test_half_a_file_is_no_image(self, save, pillow_format, noise):
        data = save(noise(), pillow_format)

        self.reason(data[: len(data) // 2])

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"<!DOCTYPE html><title>404", "is an HTML page, not an image"),
            (b"PK\x03\x04" + bytes(40), "is a ZIP archive, not an image"),
            (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
            (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "is an SVG drawing, not an image"),
            (b"\xff\x0a" + bytes(40), "is a JPEG XL image, which is not supported"),
            (
                b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
                "is an EPS or PostScript drawing",
            ),
            (b"\x89HDF\r\n\x1a\n" + bytes(40), "is an HDF5 file, not an image"),
            (b"GRIB\0\0\0\x01" + bytes(40), "is a GRIB file, not an image"),
            (b"BUFR\0\0\0\x04" + bytes(40), "is a BUFR file, not an image"),
            (b"\x00\x00\x01\xb3" + bytes(40), "is an MPEG video, not an image"),
            (bytes(600), "is only zero bytes, not an image"),
            (b"cat,dog\n1,2\n", "is a text file, not an image"),
            (b"\x99\x98\x97", "is not an image: it starts with the bytes 99 98 97"),
            (b"\xff\xd8\xff\xe0", "is cut short: a JPEG image"),
        ],
    )
    def test_what_else_it_is_is_said(self, data, words):
        assert words in self.reason(data)

    def test_png_without_pixels(self, make_png):
        data = make_png(2, 8, 2, bytes(6))
        start = data.index(b"IDAT") - 4

        assert "is damaged: a PNG image without pixels" == self.reason(
            data[:start] + data[data.index(b"IEND") - 4 :]
        )

    def test_png_with_a_wrong_checksum(self, save, noise):
        data = bytearray(save(noise(8, 8)))
        data[data.index(b"IHDR") + 17] ^= 1

        assert "is damaged: a PNG image whose part IHDR is damaged" == self.reason(bytes(data))

    def test_png_whose_pixels_are_damaged(self, save, noise):
        data = save(noise(8, 8))
        at = data.index(b"IDAT") + 6

        assert "is damaged: a PNG image whose data do not decode" == self.reason(
            data[:at] + bytes(20) + data[at + 20 :]
        )

    def test_png_without_width(self, make_png):
        assert "is damaged: a PNG image whose header makes no sense" == self.reason(
            make_png(0, 8, 2, b"")
        )

    @pytest.mark.skipif(
        tuple(map(int, __version__.split(".")[:2])) < (12, 2),
        reason="older versions of Pillow read this GIF",
    )
    def test_gif_whose_frame_has_no_width(self):
        screen = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6)
        frame = b"," + struct.pack("<HHHHB", 0, 0, 0, 1, 0) + b"\x02\x01\x44\x00;"

        assert "is damaged: a GIF image with a part outside of it" == self.reason(screen + frame)

    def test_avif_whose_description_is_damaged(self, save, noise):
        data = save(noise(8, 8), "AVIF")
        at = data.index(b"iinf")

        assert re.fullmatch(
            r"is damaged or of an unsupported kind: an AVIF image \([A-Z][\w ]+\)",
            self.reason(data[:at] + b"none" + data[at + 4 :]),
        )

    def test_gif_with_a_code_of_13_bits(self):
        screen = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6)
        frame = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x0d\x01\x44\x00;"

        assert "is damaged: a GIF image whose data do not decode" == self.reason(screen + frame)

    @pytest.mark.parametrize(
        ("offset", "value", "words"),
        [(9, 9, "of 9 channels"), (4, 13, "of 13 bits a value")],
        ids=["channels", "bits"],
    )
    def test_jpeg_of_an_unsupported_kind(self, save, noise, offset, value, words):
        data = bytearray(save(noise(8, 8), "JPEG"))
        data[data.index(b"\xff\xc0") + offset] = value

        assert f"is of an unsupported kind: a JPEG image {words}" == self.reason(bytes(data))

    def test_tiff_of_doubles(self, make_tiff):
        assert (
            "is of an unsupported kind: a TIFF image of an unusual number of bits or channels, or "
            "of numbers that are not whole"
        ) == self.reason(make_tiff(1, bytes(8), depth=64, sample_format=3))

    def test_too_many_pixels(self, save):
        data = save(Image.new("1", (14_000, 13_000)))

        assert (
            "is too large: 14000x13000 = 182000000 pixels, and the limit is 178956970; "
            "raise it with `--max-pixels`"
        ) == self.reason(data)

    def test_size_is_looked_at_before_the_pixels(self, save):
        header = save(Image.new("1", (14_000, 13_000)))[:100]

        assert "14000x13000" in self.reason(header)

    def test_icon_larger_than_its_directory_says(self, save):
        data = bytearray(save(Image.new("RGB", (64, 64)), "ICO", sizes=[(64, 64)]))
        data[6:8] = 8, 8

        assert "64x64 = 4096 pixels" in self.reason(bytes(data), max_pixels=100)

    def test_frame_larger_than_its_animation(self):
        screen = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6)
        frame = b"," + struct.pack("<HHHHB", 0, 0, 30_000, 30_000, 0) + b"\x02\x01\x44\x00;"

        assert "is too large: a part of 900000000 pixels" in self.reason(screen + frame)

    def test_limit_can_be_raised(self, save):
        data = save(Image.new("1", (14_000, 13_000)))

        image = decode_image(data, path="x", settings=ImageSettings(max_pixels=182_000_000))

        assert bytes(196_608) == image.tobytes()

    def test_limit_can_be_lowered(self, save, noise):
        assert "2x2 = 4 pixels, and the limit is 3" in self.reason(save(noise(2, 2)), max_pixels=3)

    @pytest.mark.parametrize("pillow_format", ["PNG", "TIFF", "GIF"])
    def test_limit_far_above_pillows_own_is_kept_to(self, save, pillow_format, monkeypatch):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 20)
        data = save(Image.new("L", (10, 10), 5), pillow_format)

        assert {5} == set(
            decode_image(data, path="x", settings=ImageSettings(max_pixels=100)).tobytes()
        )

    def test_pillows_limit_is_not_touched_without_need(self, save, monkeypatch, noise):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)

        decode_image(save(noise(8, 8)), path="x", settings=ImageSettings(max_pixels=2000))

        assert 1000 == Image.MAX_IMAGE_PIXELS

    def test_heic_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pillow_heif", None)

        assert "tfrec-builder[heif]" in self.reason(
            b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(40)
        )

    def test_progressive_jpeg_of_endless_scans(self, save):
        data = save(Image.new("L", (1000, 1000)), "JPEG", progressive=True)
        start = data.index(b"\xff\xda")
        endless = data[:start] + data[start:-2] * 500 + data[-2:]

        assert re.search(
            r"takes too long to decode: \d+ scans", self.reason(endless, max_pixels=1_000_000)
        )
