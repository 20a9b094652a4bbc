import struct

import pytest
from PIL import Image, PngImagePlugin

from tfrec.images import ImageSettings, decode_image

AS_STORED = ImageSettings(size=None)

TURNED = {1: "RGBY", 2: "GRYB", 3: "YBGR", 4: "BYRG", 5: "RBGY", 6: "BRYG", 7: "YGBR", 8: "GYRB"}


class TestBrokenMetadata:
    def solid(self, save, **options):
        return save(Image.new("RGB", (64, 64), (9, 9, 9)), "JPEG", **options)

    def assert_solid(self, data):
        assert set(decode_image(data, path="x").tobytes()) <= set(range(7, 12))

    def test_undecodable_xmp_is_ignored(self, save, with_segment):
        self.assert_solid(
            with_segment(self.solid(save), 0xE1, b"http://ns.adobe.com/xap/1.0/\0<x>\xa8\xff</x>")
        )

    def test_resolution_over_zero_keeps_the_orientation(
        self, save, quadrants, read_quadrants, with_segment
    ):
        body = struct.pack(">2sHIH", b"MM", 42, 8, 2)
        body += struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0) + struct.pack(">HHII", 0x011A, 5, 1, 38)
        body += bytes(4) + struct.pack(">II", 0, 0)
        plain = save(quadrants(), "JPEG")

        image = decode_image(with_segment(plain, 0xE1, b"Exif\0\0" + body), path="x")

        assert TURNED[6] == read_quadrants(image)

    @pytest.mark.parametrize(
        "exif", [b"", b"MM", b"garbage" * 9, b"II*\0\x08\0\0\0\xff\xff" + bytes(40)]
    )
    def test_broken_exif_is_ignored(self, save, exif, with_segment):
        self.assert_solid(with_segment(self.solid(save), 0xE1, b"Exif\0\0" + exif))

    @pytest.mark.parametrize("marker", [0xE0, 0xE2, 0xED, 0xFE])
    @pytest.mark.parametrize(
        "body", [b"", b"JFIF\0", b"MPF\0II*\0", b"ICC_PROFILE\0", b"Photoshop 3.0\x008BIM"]
    )
    def test_broken_segments_are_ignored(self, save, marker, body, with_segment):
        self.assert_solid(with_segment(self.solid(save), marker, body))

    @pytest.mark.parametrize(
        "kind", [b"gAMA", b"pHYs", b"cHRM", b"sRGB", b"acTL", b"zTXt", b"iTXt", b"tIME"]
    )
    def test_broken_png_chunks_are_ignored(self, make_png, kind):
        data = make_png(1, 8, 2, b"\x01\x02\x03", (kind, b"\x01"))

        assert b"\x01\x02\x03" == decode_image(data, path="x", settings=AS_STORED).tobytes()

    @pytest.mark.parametrize("position", [8, -1], ids=["content", "checksum"])
    def test_damaged_exif_of_a_png_is_ignored(
        self, save, quadrants, read_quadrants, oriented, position
    ):
        data = bytearray(save(quadrants(), exif=oriented(6)))
        at = data.index(b"eXIf")
        end = at + 8 + int.from_bytes(data[at - 4 : at], "big")
        data[at + position if position > 0 else end + position] ^= 1

        assert TURNED[1] == read_quadrants(decode_image(bytes(data), path="x"))

    def test_orientation_of_a_png_survives_a_broken_chunk(
        self, save, quadrants, read_quadrants, oriented
    ):
        data = bytearray(save(quadrants(), exif=oriented(6), dpi=(72, 72)))
        data[data.index(b"pHYs") + 5] ^= 1

        assert TURNED[6] == read_quadrants(decode_image(bytes(data), path="x"))

    def test_orientation_survives_a_broken_segment(
        self, save, quadrants, read_quadrants, oriented, with_segment
    ):
        data = with_segment(save(quadrants(), "JPEG", exif=oriented(6)), 0xE0, b"JFIF\0\x01")

        assert TURNED[6] == read_quadrants(decode_image(data, path="x"))

    def test_inverted_cmyk_survives_a_broken_segment(self, save, with_segment):
        red = save(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG", quality=100)

        image = decode_image(with_segment(red, 0xE0, b"JFIF\0\x01"), path="x")

        assert pytest.approx((255, 0, 0), abs=5) == tuple(image.tobytes()[:3])

    def test_png_with_more_text_than_pillow_takes_is_read(
        self, save, quadrants, read_quadrants, oriented
    ):
        text = PngImagePlugin.PngInfo()
        text.add_text("workflow", "x" * (2 << 20), zip=True)
        exif = oriented(6)

        image = decode_image(save(quadrants(), pnginfo=text, exif=exif), path="x")

        assert TURNED[6] == read_quadrants(image)
