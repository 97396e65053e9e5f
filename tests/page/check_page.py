#!/usr/bin/env python3
"""check_page.py PAGE.html... [--texts FILE] [--tables DIR]: what a report page promises, read with Python's own parser.

It is one file that fetches nothing and runs one script, the one that its policy names by hash; it is well nested, below 2 MB,
says what a reader without eyes needs, and every line of FILE is somewhere on it as text. With DIR the cells that figures say
of their marks are those of a row of a CSV file there. A line for each breach; exit status 1 if there is one."""
import base64
import csv
import glob
import hashlib
import html.parser
import os
import re
import sys

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "col", "base", "source"}
ALLOWED = set("""html head meta title style body header nav main section footer h1 h2 h3 p div dl dt dd ul li strong a details summary
    figure table thead tbody tr th td script svg g rect circle path text desc line tspan polyline polygon defs clippath use""".split())
MOST = 2 * 1024 * 1024
breaches = []


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.open, self.ids, self.refers, self.texts, self.policy = path, [], [], [], [], ""
        self.attributes, self.elements, self.inside, self.figure = [], [], [], 0
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.feed(self.bytes.decode("utf-8"))
        self.close()
        self.claim(not self.open, f"{self.open} are not closed")

    def claim(self, good, text):
        if not good:
            breaches.append(f"{os.path.basename(self.path)}: {text}")

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.elements.append((tag, a))
        self.claim(tag in ALLOWED, f"element {tag}")
        self.claim(len(a) == len(attrs), f"an attribute of {tag} twice")
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        self.ids += [a["id"]] if "id" in a else []
        for key in ("aria-labelledby", "aria-describedby"):
            self.refers += a.get(key, "").split()
        if a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        self.figure += tag == "svg" and a.get("class") == "pf-figure"
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append([tag, "", self.figure])
            self.inside.append(self.texts[-1])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()
            self.inside.pop()

    def handle_endtag(self, tag):
        self.claim(self.open and self.open[-1] == tag, f"</{tag}> in {self.open[-1:]}")
        if self.open and self.open[-1] == tag:
            self.open.pop()
            self.inside.pop()

    def handle_data(self, data):
        if self.inside:
            self.inside[-1][1] += data

    def all(self, tag):
        return [text for name, text, _ in self.texts if name == tag]


def check_safety(p):
    scripts = p.all("script")
    p.claim(len(scripts) == 1, f"{len(scripts)} scripts")
    hashed = base64.b64encode(hashlib.sha256("".join(scripts).encode()).digest()).decode()
    p.claim(f"script-src 'sha256-{hashed}'" in p.policy, "the policy names another script")
    p.claim(p.policy.startswith("default-src 'none'"), "the policy lets something be fetched")
    for tag, key, value in p.attributes:
        p.claim(not key.startswith("on"), f"handler {key} of {tag}")
        p.claim(key not in ("src", "srcset", "data", "action", "background", "xlink:href"), f"{key} of {tag}")
        p.claim(key != "href" or not re.match(r"[a-z][a-z0-9+.-]*:|//", value, re.I), f"{key} of {tag} is {value}")
    for style in p.all("style"):
        p.claim(not re.search(r"url\(|@import|expression|https?:", style), "a style fetches something")
    text = p.bytes.decode()
    p.claim(not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", text), "a control character")
    p.claim(len(p.bytes) < MOST, f"{len(p.bytes)} bytes")


def check_reading(p):
    tags = [tag for tag, _ in p.elements]
    titles = [text for name, text, _ in p.texts if name == "title"]
    p.claim(text_of(p, "lang", "html") == "en" and titles and titles[0].strip(), "no language or title")
    p.claim(tags.count("h1") == 1 and p.all("h1")[0].strip(), "not one h1")
    levels = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3")]
    p.claim(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"levels of headings: {levels}")
    p.claim(len(p.ids) == len(set(p.ids)), f"ids twice: {[i for i in set(p.ids) if p.ids.count(i) > 1]}")
    p.claim(set(p.refers) <= set(p.ids), f"labels that are not there: {set(p.refers) - set(p.ids)}")
    for tag, a in p.elements:
        p.claim(tag != "th" or a.get("scope") == "col", "th without scope")
        p.claim(tag != "table" or "aria-labelledby" in a, "table without a name")
        p.claim(tag != "svg" or a.get("aria-hidden") == "true" or (a.get("role") == "img" and "aria-labelledby" in a), "svg without a name")
        p.claim(a.get("class") != "scroll" or a.get("tabindex") == "0", "what scrolls cannot be reached by keys")
    p.claim("What was measured" in p.all("h2"), "it does not say what was measured")


def text_of(p, key, tag):
    return next((value for name, k, value in p.attributes if (name, k) == (tag, key)), None)


def check_texts(p, texts):
    said = [text for _, text, _ in p.texts]
    for text in texts:
        p.claim(any(text in one for one in said), f"{text!r} is not there as text")


def check_marks(p, folder):
    """A tooltip is a line with the label, then `NAME: value unit` for each cell. Where the numbers of most marks of a figure are
    among those of a row of a file, those of all are. Small numbers are found anywhere, and say nothing."""
    rows, found, lost = [], {}, {}
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            rows += [set(row) for row in csv.reader(file)]
    for name, text, figure in p.texts:
        cells = set(re.findall(r"^[\w ]+: (-?\d[\d.e+-]*)(?: \S+)?$", text, re.M)) if name == "title" and figure else []
        if any(len(cell) > 4 for cell in cells):
            hit = any(cells <= row for row in rows)
            (found if hit else lost).setdefault(figure, []).append(cells)
    of_files = [figure for figure in found if len(found[figure]) > len(lost.get(figure, []))]
    p.claim(of_files, "no figure is of a file")
    for figure in of_files:
        p.claim(figure not in lost, f"figure {figure}: no row has {lost.get(figure, [''])[0]}")


def main():
    words = sys.argv[1:]
    texts, tables = [], None
    while "--texts" in words:
        at = words.index("--texts")
        with open(words[at + 1], encoding="utf-8") as file:
            texts = file.read().splitlines()
        del words[at:at + 2]
    while "--tables" in words:
        at = words.index("--tables")
        tables = words[at + 1]
        del words[at:at + 2]
    for path in words:
        p = Page(path)
        check_safety(p)
        check_reading(p)
        check_texts(p, texts)
        if tables:
            check_marks(p, tables)
    print("\n".join(breaches[:40]))
    sys.exit(1 if breaches else 0)


main()
