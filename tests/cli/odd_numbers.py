# SPDX-License-Identifier: MIT
"""Makes texts that look like numbers, and numbers that are too large for a machine word. An option must refuse such a
text, or take its real value: 18446744073709551617, which is 2^64 + 1, is not 1. Since starting the program takes long,
a run tests each option with one seventh of the texts. Which seventh it is depends on the day."""
import itertools
import os
import time

SHARE = 7
turns = itertools.count(int(os.environ.get("SMOOTHIMG_TEST_TURN") or time.time() // 86400))

WRAPS = (31, 32, 63, 64, 65, 128)  # widths in bits of machine words, and widths one bit smaller or larger


def wrapped(good):
    """Returns integers that become `good` if they lose their upper bits."""
    return [str(2 ** bits + good) for bits in WRAPS] + [str(good - 2 ** bits) for bits in WRAPS]


def odd_texts(good):
    """Returns one seventh of the texts; the next call returns the next seventh. Some texts contain `good`, an integer
    that the option accepts."""
    every = [*wrapped(good), str(-2 ** 63), str(2 ** 63 - 1), str(2 ** 63), str(2 ** 64), "9" * 40, "-1",
            f"+{good}", f"++{good}", f"-+{good}", f" {good}", f"\t{good}", f"\n{good}", f"{good} ", f"{good}\n",
            f"{good}x", f"{good};", f"{good}:", f"{good}'", f"{good}_000", f"{good} {good}", f"0x{good}",
            f"0X{good}", f"0b{good}", f"{good}.", f".{good}.", f"{good}e", f"{good}e+", "1e9", "1e400", "-1e9",
            "", " ", "+", "-", ".", "e", "e5", "x", "inf", "INF", "-inf", "infinity", "nan", "NaN", "nan(1)", "(null)",
            "\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT THREE}", "\N{SUPERSCRIPT THREE}"]
    return every[next(turns) % SHARE::SHARE]
