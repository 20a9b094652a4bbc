import io
import random
import re
import struct
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from tfrec.errors import ImageError
from tfrec.images import ImageSettings, SourceInfo, decode_image

AS_STORED = ImageSettings(size=None)

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
LETTERS = {RED: "R", GREEN: "G", BLUE: "B", YELLOW: "Y"}
TURNED = {1: "RGBY", 2: "GRYB", 3: "YBGR", 4: "BYRG", 5: "RBGY", 6: "BRYG", 7: "YGBR", 8: "GYRB"}


def noise(width=256, height=256, mode="RGB", seed=0):
    size = width * height * len(Image.new(mode, (1, 1)).getbands())
    return Image.frombytes(mode, (width, height), random.Random(seed).randbytes(size))


def quadrants():
    image = Image.new("RGB", (300, 200))
    for colour, box in zip(
        (RED, GREEN, BLUE, YELLOW),
        [(0, 0, 150, 100), (150, 0, 300, 100), (0, 100, 150, 200), (150, 100, 300, 200)],
        strict=True,
    ):
        image.paste(colour, box)
    return image


def read_quadrants(image):
    raw, width, height = image.tobytes(), image.width, image.height
    middles = [(x, y) for y in (height // 4, height * 3 // 4) for x in (width // 4, width * 3 // 4)]
    found = [raw[(y * width + x) * 3 :][:3] for x, y in middles]
    return "".join(
        LETTERS[tuple(255 if value > 127 else 0 for value in colour)] for colour in found
    )


def oriented(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def with_segment(jpeg, marker, body):
    return jpeg[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


class TestSize:
    def test_right_size_keeps_every_byte(self, save):
        image = noise()

        assert image.tobytes() == decode_image(save(image), path="x").tobytes()

    @pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
    def test_other_sizes_are_exactly_pillows_default_resize(self, save, mode):
        data = save(noise(300, 200, mode), "TIFF")

        expected = Image.open(io.BytesIO(data)).convert("RGB").resize((256, 256))

        assert expected.tobytes() == decode_image(data, path="x").tobytes()

    @pytest.mark.parametrize("orientation", [1, 6])
    def test_jpeg_is_exactly_pillows_transpose_and_resize(self, save, orientation):
        data = save(noise(500, 375), "JPEG", exif=oriented(orientation))

        upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))

        assert upright.resize((256, 256)).tobytes() == decode_image(data, path="x").tobytes()


class TestOrientation:
    @pytest.mark.parametrize("pillow_format", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_image_is_upright(self, save, pillow_format, orientation):
        data = save(quadrants(), pillow_format, exif=oriented(orientation))

        image = decode_image(data, path="x", settings=AS_STORED)

        assert TURNED[orientation] == read_quadrants(image)
        upright = (200, 300) if orientation > 4 else (300, 200)
        assert upright == (image.width, image.height)

    @pytest.mark.parametrize("pillow_format", ["JPEG", "PNG", "TIFF"])
    @pytest.mark.parametrize("orientation", [1, 6])
    def test_source_says_whether_it_was_upright(self, save, pillow_format, orientation):
        image = decode_image(
            save(quadrants(), pillow_format, exif=oriented(orientation)),
            path="x",
            settings=AS_STORED,
        )

        assert (orientation == 1) is image.source.is_upright is image.is_as_stored

    @pytest.mark.parametrize("orientation", [0, 9, 65535])
    def test_orientation_out_of_range_is_ignored(self, save, orientation):
        data = save(quadrants(), "JPEG", exif=oriented(orientation))

        assert "RGBY" == read_quadrants(decode_image(data, path="x"))

    def test_xmp_orientation_counts(self, save):
        xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'

        assert TURNED[6] == read_quadrants(
            decode_image(save(quadrants(), "JPEG", xmp=xmp), path="x")
        )


class TestBrokenMetadata:
    def solid(self, save, **options):
        return save(Image.new("RGB", (64, 64), (9, 9, 9)), "JPEG", **options)

    def assert_solid(self, data):
        assert set(decode_image(data, path="x").tobytes()) <= set(range(7, 12))

    def test_undecodable_xmp_is_ignored(self, save):
        self.assert_solid(
            with_segment(self.solid(save), 0xE1, b"http://ns.adobe.com/xap/1.0/\0<x>\xa8\xff</x>")
        )

    def test_resolution_over_zero_keeps_the_orientation(self, save):
        body = struct.pack(">2sHIH", b"MM", 42, 8, 2)
        body += struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0) + struct.pack(">HHII", 0x011A, 5, 1, 38)
        body += bytes(4) + struct.pack(">II", 0, 0)
        plain = save(quadrants(), "JPEG")

        image = decode_image(with_segment(plain, 0xE1, b"Exif\0\0" + body), path="x")

        assert TURNED[6] == read_quadrants(image)

    @pytest.mark.parametrize(
        "exif", [b"", b"MM", b"garbage" * 9, b"II*\0\x08\0\0\0\xff\xff" + bytes(40)]
    )
    def test_broken_exif_is_ignored(self, save, exif):
        self.assert_solid(with_segment(self.solid(save), 0xE1, b"Exif\0\0" + exif))

    @pytest.mark.parametrize("marker", [0xE0, 0xE2, 0xED, 0xFE])
    @pytest.mark.parametrize(
        "body", [b"", b"JFIF\0", b"MPF\0II*\0", b"ICC_PROFILE\0", b"Photoshop 3.0\x008BIM"]
    )
    def test_broken_segments_are_ignored(self, save, marker, body):
        self.assert_solid(with_segment(self.solid(save), marker, body))

    @pytest.mark.parametrize(
        "kind", [b"gAMA", b"pHYs", b"cHRM", b"sRGB", b"acTL", b"zTXt", b"iTXt", b"tIME"]
    )
    def test_broken_png_chunks_are_ignored(self, make_png, kind):
        data = make_png(1, 8, 2, b"\x01\x02\x03", (kind, b"\x01"))

        assert b"\x01\x02\x03" == decode_image(data, path="x", settings=AS_STORED).tobytes()

    def test_orientation_survives_a_broken_segment(self, save):
        data = with_segment(save(quadrants(), "JPEG", exif=oriented(6)), 0xE0, b"JFIF\0\x01")

        assert TURNED[6] == read_quadrants(decode_image(data, path="x"))

    def test_inverted_cmyk_survives_a_broken_segment(self, save):
        red = save(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG", quality=100)

        image = decode_image(with_segment(red, 0xE0, b"JFIF\0\x01"), path="x")

        assert pytest.approx((255, 0, 0), abs=5) == tuple(image.tobytes()[:3])

    def test_png_with_more_text_than_pillow_takes_is_read(self, save):
        from PIL import PngImagePlugin

        text = PngImagePlugin.PngInfo()
        text.add_text("workflow", "x" * (2 << 20), zip=True)
        exif = oriented(6)

        image = decode_image(save(quadrants(), pnginfo=text, exif=exif), path="x")

        assert TURNED[6] == read_quadrants(image)


class TestHeif:
    @pytest.mark.parametrize("orientation", [1, 6])
    def test_photo_is_read_upright(self, orientation):
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

    def test_multi_picture_jpeg_counts_as_jpeg(self, save):
        data = save(noise(8, 8), "MPO", save_all=True, append_images=[noise(8, 8)])

        assert "JPEG" == decode_image(data, path="x").source.format


def test_source_tells_format_mode_and_upright_size(save):
    data = save(quadrants().convert("L"), "TIFF", exif=oriented(6))

    source = decode_image(data, path="x").source

    assert SourceInfo("TIFF", "L", 200, 300, is_upright=False) == source


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
    def test_jpeg_without_its_last_bytes(self, save, missing):
        assert "is cut short: a JPEG image without an end marker" == self.reason(
            save(noise(), "JPEG")[:-missing]
        )

    @pytest.mark.parametrize("kept", [0.5, 0.7, 0.9])
    def test_jpeg_filled_up_with_zeros(self, save, kept):
        thumbnail = save(noise(16, 16), "JPEG")
        whole = with_segment(save(noise(64, 64), "JPEG"), 0xE2, thumbnail)
        cut = int(len(whole) * kept)

        assert "is cut short" in self.reason(whole[:cut] + bytes(len(whole) - cut))

    def test_jpeg_with_bytes_after_its_end_is_good(self, save):
        image = save(noise(), "JPEG")

        assert (
            decode_image(image, path="x").tobytes()
            == decode_image(image + b"\r\n\0", path="x").tobytes()
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
    def test_half_a_file_is_no_image(self, save, pillow_format):
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

    def test_limit_can_be_lowered(self, save):
        assert "2x2 = 4 pixels, and the limit is 3" in self.reason(save(noise(2, 2)), max_pixels=3)

    @pytest.mark.parametrize("pillow_format", ["PNG", "TIFF", "GIF"])
    def test_limit_far_above_pillows_own_is_kept_to(self, save, pillow_format, monkeypatch):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 20)
        data = save(Image.new("L", (10, 10), 5), pillow_format)

        assert {5} == set(
            decode_image(data, path="x", settings=ImageSettings(max_pixels=100)).tobytes()
        )

    def test_pillows_limit_is_not_touched_without_need(self, save, monkeypatch):
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


class TestWarnings:
    @pytest.fixture
    def noisy(self, save):
        """A TIFF that Pillow warns of: a tag's data lie behind the file's end."""
        data = bytearray(save(Image.new("L", (4, 4), 7), "TIFF"))
        at = data.index(struct.pack("<HHI", 256, 4, 1))
        data[at : at + 12] = struct.pack("<HHII", 256, 4, 1, 4)
        count = struct.unpack_from("<H", data, 8)[0]
        last = 10 + 12 * (count - 1)
        data[last : last + 12] = struct.pack("<HHII", 700, 7, 5000, 1 << 20)
        return bytes(data)

    def test_file_does_warn(self, noisy):
        with pytest.warns(UserWarning, match="larger than file|Truncated"):
            Image.open(io.BytesIO(noisy))

    def test_warnings_do_not_come_out(self, noisy):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            decode_image(noisy, path="x")

        assert [] == caught

    def test_own_warnings_of_the_user_still_come_out(self, noisy):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            decode_image(noisy, path="x")
            Image.open(io.BytesIO(noisy))

        assert {"PIL"} == {Path(each.filename).parent.name for each in caught}

    def test_filters_of_the_process_do_not_pile_up(self, noisy):
        with warnings.catch_warnings():
            for _ in range(3):
                warnings.simplefilter("always")
                decode_image(noisy, path="x")
                num_filters = len(warnings.filters)
            warnings.simplefilter("always")
            decode_image(noisy, path="x")

            assert num_filters == len(warnings.filters)

    def test_indexed_images_with_alpha_are_silent(self, make_png, capfd):
        palette = (b"PLTE", bytes([200, 16, 64, 0, 90, 255]))
        decode_image(make_png(2, 8, 3, b"\0\1", palette, (b"tRNS", b"\xff\x80")), path="x")

        assert "" == capfd.readouterr().err

    def test_what_pillow_logs_is_not_printed(self, save):
        """In a process of its own, since pytest catches whatever is logged."""
        data = save(Image.new("RGB", (4, 4)), "TIFF")
        at = data.index(struct.pack("<HHI", 277, 3, 1))
        data = data[: at + 8] + struct.pack("<H", 999) + data[at + 10 :]
        program = (
            "import sys; from tfrec.images import decode_image\n"
            "try: decode_image(sys.stdin.buffer.read(), path='x')\n"
            "except Exception as error: print(type(error).__name__)"
        )

        run = subprocess.run(
            [sys.executable, "-c", program], input=data, capture_output=True, check=True
        )

        assert (b"ImageError", b"") == (run.stdout.strip(), run.stderr)

    def test_libtiff_is_silent(self, save, capfd):
        data = save(noise(64, 64), "TIFF", compression="tiff_lzw")
        pixels = data[:8] + bytes(2000) + data[2008:]

        with pytest.raises(ImageError):
            decode_image(pixels, path="x")

        assert "" == capfd.readouterr().err


def test_many_threads_decode_as_one_does(save):
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
