import struct
import zlib
from fractions import Fraction

import pytest
from PIL import Image, ImageCms, __version__

from tfrec.errors import ImageError
from tfrec.images import ImageSettings, decode_image

NEEDS_PILLOW_13 = pytest.mark.skipif(
    int(__version__.split(".")[0]) < 13, reason="older versions of Pillow refuse this TIFF"
)


def pixels_of(data, **settings):
    image = decode_image(data, path="cat/a", settings=ImageSettings(size=None, **settings))
    raw = image.tobytes()
    return [tuple(raw[at : at + image.channels]) for at in range(0, len(raw), image.channels)]


def over_white(value, alpha):
    return (2 * (value * alpha + 255 * (255 - alpha)) + 255) // 510


class TestGray:
    def test_gray_is_tripled(self, save):
        data = save(Image.new("L", (256, 256), 77))

        image = decode_image(data, path="cat/g.png")

        assert bytes([77]) * 196_608 == image.tobytes()

    def test_gray_with_opaque_alpha_is_the_gray(self, save):
        assert [(77, 77, 77)] == pixels_of(save(Image.new("LA", (1, 1), (77, 255))))

    def test_one_bit_is_black_and_white(self, save):
        image = Image.frombytes("1", (8, 1), b"\x05")

        assert [0, 0, 0, 0, 0, 255, 0, 255] == [red for red, _, _ in pixels_of(save(image))]

    def test_grayscale_setting_gives_one_channel_of_luma(self, save):
        data = save(Image.new("RGB", (1, 1), (200, 30, 60)))

        # ITU-R 601-2: (299 * 200 + 587 * 30 + 114 * 60) / 1000 = 84.25
        assert [(84,)] == pixels_of(data, grayscale=True)


class TestSixteenBits:
    # 32768 / 257 = 127.50, 25700 / 257 = 100, 200 / 257 = 0.78
    VALUES = (0, 200, 25_700, 32_768, 65_535)
    SCALED = ((0,) * 3, (1,) * 3, (100,) * 3, (128,) * 3, (255,) * 3)

    def test_png_is_scaled_not_clipped(self, save):
        image = Image.frombytes("I;16", (5, 1), struct.pack("<5H", *self.VALUES))

        assert list(self.SCALED) == pixels_of(save(image))

    def test_every_value_is_rounded_to_the_nearest(self, save):
        image = Image.frombytes("I;16", (256, 256), struct.pack("<65536H", *range(65_536)))

        expected = [round(Fraction(value * 255, 65_535)) for value in range(65_536)]

        assert expected == [red for red, _, _ in pixels_of(save(image))]

    @pytest.mark.parametrize("order", ["<", ">"])
    def test_tiff_is_scaled_in_both_byte_orders(self, make_tiff, order):
        data = make_tiff(5, struct.pack(f"{order}5H", *self.VALUES), order=order)

        assert list(self.SCALED) == pixels_of(data)

    def test_white_is_zero_is_inverted(self, make_tiff):
        data = make_tiff(2, struct.pack("<2H", 0, 25_700), photometric=0)

        assert [(255, 255, 255), (155, 155, 155)] == pixels_of(data)

    def test_twelve_bits_reach_white(self, make_tiff):
        # Samples 000, 800, FFF and 010: 2048 / 4095 * 255 = 127.53 and 16 / 4095 * 255 = 0.996
        data = make_tiff(4, bytes.fromhex("000800fff010"), depth=12)

        assert [0, 128, 255, 1] == [red for red, _, _ in pixels_of(data)]

    def test_pgm_of_twelve_bits_reaches_white(self):
        data = b"P5\n3 1\n4095\n" + struct.pack(">3H", 0, 2048, 4095)

        assert [0, 128, 255] == [red for red, _, _ in pixels_of(data)]

    def test_values_of_32_bits_that_fit_are_scaled(self, make_tiff):
        data = make_tiff(3, struct.pack("<3I", 0, 25_700, 65_535), depth=32)

        assert [0, 100, 255] == [red for red, _, _ in pixels_of(data)]

    @pytest.mark.parametrize(
        ("sample_format", "code", "value"),
        [(1, "<I", 65_536), (2, "<i", -1)],
        ids=["big", "negative"],
    )
    def test_values_beyond_16_bits_are_refused_with_the_mode(
        self, make_tiff, sample_format, code, value
    ):
        data = make_tiff(1, struct.pack(code, value), depth=32, sample_format=sample_format)

        with pytest.raises(ImageError, match=rf"{value} to {value} \(mode I\)"):
            decode_image(data, path="x")

    def test_floats_are_refused_with_the_mode(self, save):
        with pytest.raises(ImageError, match="mode F"):
            decode_image(save(Image.new("F", (2, 2), 0.5), "TIFF"), path="x")

    def test_colour_keeps_the_high_bytes(self, make_png):
        data = make_png(1, 16, 2, struct.pack(">3H", 0xC8FF, 0x1E00, 0x3C80))

        assert [(0xC8, 0x1E, 0x3C)] == pixels_of(data)


class TestPalette:
    def two_colours(self, width=256, height=256):
        image = Image.new("P", (width, height), 0)
        image.putpalette([200, 16, 64, 0, 90, 255])
        image.paste(1, (width // 2, 0, width, height))
        return image

    @pytest.mark.parametrize("pillow_format", ["PNG", "GIF", "BMP", "TIFF"])
    def test_indices_become_colours(self, save, pillow_format):
        image = decode_image(save(self.two_colours(), pillow_format), path="cat/p").tobytes()

        assert bytes([200, 16, 64]) * 128 + bytes([0, 90, 255]) * 128 == image[:768]

    @pytest.mark.parametrize("mode", ["P", "1"])
    def test_colours_are_resolved_before_resizing(self, save, mode):
        stripes = Image.frombytes("L", (512, 512), b"\x00\xff" * (256 * 512)).convert(mode)

        image = decode_image(save(stripes), path="cat/p.png").tobytes()

        inner = [image[(y * 256 + 8) * 3 : (y * 256 + 248) * 3] for y in range(8, 248)]
        assert min(map(min, inner)) >= 110
        assert max(map(max, inner)) <= 146

    def test_transparency_by_entry_is_over_white(self, make_png):
        palette = (b"PLTE", bytes([200, 16, 64, 0, 90, 255, 7, 8, 9]))
        data = make_png(3, 8, 3, bytes([0, 1, 2]), palette, (b"tRNS", bytes([255, 128, 0])))

        half = tuple(over_white(value, 128) for value in (0, 90, 255))
        assert [(200, 16, 64), half, (255, 255, 255)] == pixels_of(data)

    def test_transparent_index_is_over_white(self, save):
        data = save(self.two_colours(2, 1), "GIF", transparency=1)

        assert [(200, 16, 64), (255, 255, 255)] == pixels_of(data)


class TestTransparency:
    @pytest.mark.parametrize("alpha", [0, 1, 127, 128, 254, 255])
    def test_colour_is_over_white_and_rounded(self, save, alpha):
        data = save(Image.new("RGBA", (1, 1), (200, 30, 61, alpha)))

        assert [tuple(over_white(value, alpha) for value in (200, 30, 61))] == pixels_of(data)

    def test_gray_is_over_white_and_rounded(self, save):
        assert [(over_white(77, 100),) * 3] == pixels_of(save(Image.new("LA", (1, 1), (77, 100))))

    def test_background_can_be_chosen(self, save):
        data = save(Image.new("RGBA", (1, 1), (200, 30, 61, 0)))

        assert [(1, 2, 3)] == pixels_of(data, background=(1, 2, 3))

    def test_transparent_pixels_do_not_bleed_when_resized(self, save):
        """Hidden red next to white shows nowhere, since alpha goes first."""
        image = Image.new("RGBA", (512, 512), (255, 0, 0, 0))
        image.paste((255, 255, 255, 255), (0, 0, 256, 512))

        assert {255} == set(decode_image(save(image), path="x").tobytes())

    @NEEDS_PILLOW_13
    def test_premultiplied_gray_is_over_white(self):
        # What is stored is already value * alpha / 255; white adds 255 - alpha.
        assert [(100 + 255 - 128,) * 3] == pixels_of(premultiplied_gray_tiff(100, 128))

    @pytest.mark.parametrize(
        ("depth", "row", "transparent", "expected"),
        [
            (1, b"\x80", 1, [255, 0]),
            (2, b"\x1b", 1, [0, 255, 170, 255]),  # samples 0, 1, 2, 3; each step is 85
            (4, b"\xf3", 15, [255, 51]),
            (8, b"\x07\x08", 7, [255, 8]),
            (16, b"\x03\xe8\x0a\x0a", 1000, [255, 10]),
        ],
    )
    def test_transparent_gray_of_any_depth_is_over_white(
        self, make_png, depth, row, transparent, expected
    ):
        data = make_png(len(expected), depth, 0, row, (b"tRNS", struct.pack(">H", transparent)))

        assert expected == [red for red, _, _ in pixels_of(data)]

    @pytest.mark.parametrize(("depth", "code"), [(8, ">6B"), (16, ">6H")])
    def test_transparent_colour_of_any_depth_is_over_white(self, make_png, depth, code):
        first, second = (17, 18, 19), (65, 66, 67)
        scale = 1 if depth == 8 else 257
        row = struct.pack(code, *(value * scale for value in first + second))
        transparent = struct.pack(">3H", *(value * scale for value in first))

        assert [(255, 255, 255), second] == pixels_of(
            make_png(2, depth, 2, row, (b"tRNS", transparent))
        )


def premultiplied_gray_tiff(value, alpha):
    """One pixel with associated alpha (TIFF 6.0, ExtraSamples 1), which Pillow reads as La."""
    tags = [
        (256, 4, 1), (257, 4, 1), (258, 3, 8 | 8 << 16), (259, 3, 1), (262, 3, 1),
        (273, 4, 134), (277, 3, 2), (278, 4, 1), (279, 4, 2), (338, 3, 1),
    ]  # fmt: skip
    entries = b"".join(
        struct.pack("<HHII", tag, kind, 2 if tag == 258 else 1, content)
        for tag, kind, content in tags
    )
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + bytes([value, alpha])


class TestColourSpaces:
    def test_adobe_cmyk_jpeg_is_no_negative(self, save):
        data = save(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG", quality=100)
        assert b"Adobe" in data

        red, green, blue = pixels_of(data)[0]

        assert red >= 250
        assert green <= 5
        assert blue <= 5

    def test_cmyk_tiff_is_rgb(self, save):
        # 255 - min(255, ink) without black: what each ink leaves.
        data = save(Image.new("CMYK", (1, 1), (10, 20, 30, 0)), "TIFF")

        assert [(245, 235, 225)] == pixels_of(data)

    def test_lab_white_is_white(self, save):
        red, green, blue = pixels_of(save(Image.new("LAB", (1, 1), (255, 128, 128)), "TIFF"))[0]

        assert min(red, green, blue) >= 250

    @NEEDS_PILLOW_13
    def test_ycbcr_tiff_is_rgb(self, save):
        assert [(200, 200, 200)] == pixels_of(
            save(Image.new("YCbCr", (1, 1), (200, 128, 128)), "TIFF")
        )

    @pytest.mark.parametrize("pillow_format", ["PNG", "BMP", "TIFF", "PPM", "TGA"])
    def test_red_stays_before_blue(self, save, pillow_format):
        image = decode_image(save(Image.new("RGB", (4, 4), (200, 30, 60)), pillow_format), path="x")

        assert bytes.fromhex("c81e3c") == image.tobytes()[:3]


class TestProfile:
    def swapped_profile(self):
        """The sRGB profile with the names of its red and green primaries exchanged."""
        profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
        red, green = profile.index(b"rXYZ"), profile.index(b"gXYZ")
        profile[red : red + 4], profile[green : green + 4] = b"gXYZ", b"rXYZ"
        return bytes(profile)

    def picture(self, save, profile):
        return save(Image.new("RGB", (2, 1), (200, 30, 60)), icc_profile=profile)

    def test_profile_is_left_alone_by_default(self, save):
        assert [(200, 30, 60)] * 2 == pixels_of(self.picture(save, self.swapped_profile()))

    def test_profile_is_applied_on_request(self, save):
        colour = pixels_of(self.picture(save, self.swapped_profile()), icc="srgb")[0]

        assert pytest.approx((24, 201, 57), abs=12) == colour

    def test_gray_picture_with_a_colour_profile_keeps_its_values(self, save):
        data = save(Image.new("L", (1, 1), 77), icc_profile=self.swapped_profile())

        assert [(77, 77, 77)] == pixels_of(data, icc="srgb")

    @pytest.mark.parametrize("icc", ["ignore", "srgb"])
    @pytest.mark.parametrize("garbage", [b"fifteen garbage", b"", bytes(200)])
    def test_garbage_for_a_profile_is_ignored(self, save, icc, garbage):
        assert [(200, 30, 60)] * 2 == pixels_of(self.picture(save, garbage), icc=icc)

    def test_no_profile_means_srgb(self, save):
        data = save(Image.new("RGB", (1, 1), (200, 30, 60)))

        assert [(200, 30, 60)] == pixels_of(data, icc="srgb")

    def test_chunk_that_does_not_inflate_is_ignored(self, make_png):
        data = make_png(1, 8, 2, b"\x01\x02\x03", (b"iCCP", b"name\0\x07" + zlib.compress(b"x")))

        assert [(1, 2, 3)] == pixels_of(data, icc="srgb")
