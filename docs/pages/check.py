#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py ROOT SMOOTHIMG MANDOC [BROWSER]: makes the pages with pages.py and checks them: every tag is closed, every
link and picture has a target, ids are unique, pictures have an alternative text, there are no scripts, and the style
sheet's colours have the contrast that WCAG requires. With BROWSER, a Chromium, also checks that each page opens with
all its pictures, and is no wider than windows of 400 and of 1400 pixels. With --bites, tests this script itself: it
must find the fault of each page in BAD and of each sheet in BAD_STYLES, and none in GOOD."""
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pages

VOID = {"meta", "link", "img", "br", "hr", "wbr", "col"}
LEAST_CONTRAST = 4.5


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.files, self.faults = [], [], [], [], []
        self.feed(text)
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in given:
            self.faults += [f"two ids {given['id']}"] if given["id"] in self.ids else []
            self.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("img", "link"):
            self.files.append(given.get("src") or given["href"])
        if tag == "img" and not given.get("alt"):
            self.faults.append(f"{given.get('src')} has no text")
        if tag == "script" or any(name.startswith("on") for name in given):
            self.faults.append(f"<{tag}> has a script")

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def faults_of_style(text):
    """Yields each rule whose text has too little contrast with the rule's background or, if it has none, the page's.
    Also yields each rule with a background but no colour of the text."""
    whole = re.search(r"body \{[^}]*background: (#\w{6})", text)[1]
    for name, rule in re.findall(r"([^{}]+)\{([^}]*)\}", text):
        colour = re.search(r"(?<![-\w])color: (#\w{6})", rule)
        behind = re.search(r"background: (#\w{6})", rule)
        if behind and not colour:
            yield f"{name.strip()}: a background without a colour of the text"
        if colour and contrast(colour[1], behind[1] if behind else whole) < LEAST_CONTRAST:
            yield f"{name.strip()}: {colour[1]} has too little contrast"


def faults(folder):
    pages = {path.name: Page(path.read_text()) for path in folder.glob("*.html")}
    if "index.html" not in pages:
        yield "there is no index.html"
    for name, page in pages.items():
        yield from (f"{name}: {fault}" for fault in page.faults)
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            target, _, place = unquote(link).partition("#")
            there = pages.get(target or name)
            if there is None or (place and place not in there.ids):
                yield f"{name}: {link} leads nowhere"
        yield from (f"{name}: there is no {file}" for file in page.files if not (folder / file).is_file())
    yield from faults_of_style((folder / "style.css").read_text())


# A page that opens each of the pages in a narrow and in a wide frame, and adds a line to itself for each fault.
LOOK = """<!DOCTYPE html><pre id="found"></pre><script>
for (const name of NAMES) for (const width of [400, 1400]) {
  const frame = document.createElement("iframe");
  frame.style.width = width + "px";
  frame.onload = () => {
    const page = frame.contentDocument, most = page.documentElement.scrollWidth, found = document.getElementById("found");
    const missing = [...page.images].filter(image => image.naturalWidth === 0).map(image => image.src);
    found.append(`opened ${name} ${width}\\n`);
    if (most > width) found.append(`wrong ${name}: ${most} pixels wide in ${width}\\n`);
    if (missing.length > 0) found.append(`wrong ${name}: does not show ${missing}\\n`);
  };
  frame.src = name;
  document.body.append(frame);
}
</script>"""


def faults_in(browser, folder):
    names = sorted(path.name for path in folder.glob("*.html"))
    (folder / "look.htm").write_text(LOOK.replace("NAMES", str(names)))
    said = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                           f"--user-data-dir={folder}/profile", "--virtual-time-budget=60000", "--dump-dom",
                           (folder / "look.htm").as_uri()], capture_output=True, text=True, check=False, timeout=300).stdout
    yield from re.findall(r"^(?:.*>)?wrong (.*)$", said, re.M)
    yield from (f"{name} does not open, {width} pixels wide" for name in names for width in (400, 1400)
                if f"opened {name} {width}" not in said)


GOOD = '<html><body><h1 id="a">x</h1><a href="#a">x</a><img src="style.css" alt="x"></body></html>'
STYLE = "body { color: #000000; background: #ffffff }\n"
BAD = (GOOD.replace("</h1>", ""), GOOD.replace("#a", "#b"), GOOD.replace("#a", "other.html"), GOOD.replace(' alt="x"', ""),
       GOOD.replace("style.css", "no.png"), GOOD.replace("<h1", "<script></script><h1"), GOOD.replace("<a ", '<a id="a" '))
BAD_STYLES = (STYLE + "a { color: #cccccc }\n", STYLE + "pre { background: #f4f4f4 }\n")


def bites():
    """Yields the cases in which a faulty page passes, or the good page does not."""
    cases = [(GOOD, STYLE, 0), *((text, STYLE, 1) for text in BAD), *((GOOD, style, 1) for style in BAD_STYLES)]
    for text, style, wanted in cases:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "index.html").write_text(text)
            Path(folder, "style.css").write_text(style)
            found = list(faults(Path(folder)))
            if bool(found) != bool(wanted):
                yield f"{text} {style}: {found}"


def all_faults(root, smoothimg, mandoc, browser=None):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "html"
        pages.main(root, smoothimg, mandoc, folder)
        yield from faults(folder)
        if browser:
            yield from faults_in(browser, folder)


def main(arguments):
    found = list(bites() if arguments == ["--bites"] else all_faults(*arguments))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
