import io
import struct
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from PIL import Image

from tfrec.errors import ImageError
from tfrec.images import decode_image


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

    def test_libtiff_is_silent(self, save, capfd, noise):
        data = save(noise(64, 64), "TIFF", compression="tiff_lzw")
        pixels = data[:8] + bytes(2000) + data[2008:]

        with pytest.raises(ImageError):
            decode_image(pixels, path="x")

        assert "" == capfd.readouterr().err
