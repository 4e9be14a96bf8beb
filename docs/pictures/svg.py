# SPDX-License-Identifier: MIT
"""Writes pictures as SVG: shapes and text, in the colours of Okabe and Ito, which colour-blind people can
distinguish."""
from html import escape

BLUE, ORANGE, RED, GREEN, GREY, PALE, INK = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#8a8a8a", "#e8e8e8", "#1a1a1a"
WIDTH = 960  # width of every picture in pixels; HTML pages scale it to the page's width


class Picture:
    def __init__(self, title, text):
        self.shapes, self.height, self.title, self.text = [], 0, title, text
        self.write(10, 22, title, 17, font_weight="bold")

    def rect(self, x, y, width, height, fill, stroke="none", **more):
        self.height = max(self.height, y + height)
        self.shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"'
                           f' stroke="{stroke}"{attributes(more)}/>')

    def line(self, x, y, to_x, to_y, stroke=GREY):
        self.height = max(self.height, y, to_y)
        self.shapes.append(f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{stroke}"/>')

    def cells(self, cells, size, fill):
        """Draws rectangles of one size and colour, at each (x, y) of `cells`, as one path."""
        width, height = size
        for _, y in cells:
            self.height = max(self.height, y + height)
        path = "".join(f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z" for x, y in cells)
        if path:
            self.shapes.append(f'<path d="{path}" fill="{fill}"/>')

    def runs(self, cells, size, fill):
        """Like cells(), but neighbouring cells of a row become one rectangle. `cells` must be sorted by y, then x."""
        width, height = size
        runs = []
        for x, y in cells:
            if runs and runs[-1][1] == y and abs(runs[-1][0] + runs[-1][2] - x) < 1e-6:
                runs[-1][2] += width
            else:
                runs.append([x, y, width])
        for length in sorted({round(run[2], 6) for run in runs}):
            self.cells([(x, y) for x, y, run in runs if round(run, 6) == length], (length, height), fill)

    def write(self, x, y, text, size=14, anchor="start", fill=INK, **more):
        self.height = max(self.height, y + size / 3)
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"'
                           f'{attributes(more)}>{escape(text)}</text>')

    def legend(self, x, y, entries):
        for fill, text in entries:
            self.rect(x, y - 11, 12, 12, fill, GREY)
            self.write(x + 18, y, text)
            x += 34 + 7.2 * len(text)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height + 12:g}" '
                f'width="{WIDTH}" height="{self.height + 12:g}" role="img" font-family="Helvetica, Arial, sans-serif">')
        return "\n".join([head, f"<title>{escape(self.title)}</title>", f"<desc>{escape(self.text)}</desc>",
                          f'<rect width="{WIDTH}" height="{self.height + 12:g}" fill="#ffffff"/>',
                          *self.shapes, "</svg>", ""])


def attributes(more):
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
