#!/usr/bin/env python3
"""paper.py WORK PAGE.html...: prints report pages with Debian's Chromium and reads the PDF with pdftotext. On paper are the titles
of all tables, folded ones too, the headings of a long table again on each sheet, and no word that is cut off by the sheet's
edge. A line for each breach; exit status 1 if there is one."""
import os
import re
import subprocess
import sys

LONG = 150  # rows that no sheet has room for
TABLE = re.compile(r'<h\d id="t\d+">(.*?)</h\d>.*?<thead><tr>(.*?)</tr>.*?<tbody>(.*?)</tbody>', re.S)
PARTS = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">|<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>')


def plain(text):
    """Without what lines and cells put between words; pdftotext -bbox escapes as HTML does."""
    text = re.sub(r"<[^>]*>", "", text).replace("&ndash;", "\u2013").replace("&#39;", "'").replace("&quot;", '"')
    return re.sub(r"\s+", "", text)


def goes_on(sheets, title, heads):
    """Whether the sheet after one with the title begins with the headings, whatever lines they stand on."""
    return any(title in "".join(one) and sorted(after[:len(heads)]) == heads for one, after in zip(sheets, sheets[1:]))


def breaches(work, path):
    pdf = os.path.join(work, os.path.basename(path) + ".pdf")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={pdf}",
                    "file://" + os.path.abspath(path)], stderr=subprocess.DEVNULL, timeout=120, check=True)
    found = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    width = height = 0.0
    sheets = []
    for part in PARTS.finditer(found):
        if part[1]:
            width, height = float(part[1]), float(part[2])
            sheets.append([])
            continue
        left, top, right, bottom = (float(part[i]) for i in (3, 4, 5, 6))
        if left < 0 or top < 0 or right > width or bottom > height:
            yield f"{part[7]} is cut off at {left}, {top}, {right}, {bottom} of {width} x {height}"
        sheets[-1].append(plain(part[7]))
    sheets = [words for words in sheets if words]
    printed = "".join("".join(words) for words in sheets)
    with open(path, encoding="utf-8") as file:
        tables = TABLE.findall(file.read())
    if not tables:
        yield "no table"
    for title, heads, rows in tables:
        if plain(title) not in printed:
            yield f"the table {title} is not there"
            continue
        heads = re.sub(r"<[^>]*>", " ", heads).split()
        gone = [head for head in heads if plain(head) not in printed]
        if gone:
            yield f"of the headings of {title} {' '.join(gone)} is not there, so it is cut off"
        if rows.count("<tr>") > LONG and not goes_on(sheets, plain(title), sorted(plain(head) for head in heads)):
            yield f"the headings of {title} are there once only"


def main():
    count = 0
    for path in sys.argv[2:]:
        for text in breaches(sys.argv[1], path):
            print(f"{os.path.basename(path)}: {text}")
            count += 1
    sys.exit(1 if count else 0)


main()
