#!/usr/bin/env python3
"""axe.py AXE.js FOLDER SCHEME:PAGE.html...: axe-core in Debian's Chromium: what it calls a violation, light or dark. The page
must also be no wider than the window, have the paper of its scheme, and its title, which no name may have changed.

The policy of a page lets no script run but its own, so axe is put into a copy without it, in FOLDER."""
import json
import os
import re
import subprocess
import sys
import urllib.parse

RUN = """<script>%s</script><script>addEventListener('load', () => axe.run().then((result) => {
  const said = result.violations.map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)));
  const paper = getComputedStyle(document.body).backgroundColor;
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.body.innerHTML = '<pre></pre>';
  document.body.firstChild.textContent = 'RESULT' + encodeURIComponent(JSON.stringify(
    {said, wide, paper, passes: result.passes.length, title: document.title})) + 'END';
}));</script></body>"""
SCHEMES = {"light": (1, "rgb(255, 255, 255)"), "dark": (0, "rgb(27, 27, 31)")}


def check(axe, folder, page, scheme):
    name = os.path.join(folder, f"{os.path.basename(page)[:-5]}.{scheme}")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text, count=1)
    head, found, tail = text.rpartition("</body>")
    with open(f"{name}.html", "w", encoding="utf-8") as file:
        file.write(head + RUN % axe.replace("</script", "<\\/script") + tail)
    dom = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,1600",
                          f"--user-data-dir={folder}/profile", f"--blink-settings=preferredColorScheme={SCHEMES[scheme][0]}",
                          "--virtual-time-budget=20000", "--dump-dom", f"file://{os.path.abspath(name)}.html"],
                         capture_output=True, check=False, timeout=100, stdin=subprocess.DEVNULL).stdout.decode("utf-8", "replace")
    said = re.search("RESULT(.*?)END", dom)
    if not found or not said:
        return [f"{name}: axe gave no result"]
    result = json.loads(urllib.parse.unquote(said.group(1)))
    bad = [f"{name}: {one}" for one in result["said"]]
    bad += [f"{name}: wider than the window"] * result["wide"]
    bad += [f"{name}: the paper is {result['paper']}"] * (result["paper"] != SCHEMES[scheme][1])
    bad += [f"{name}: a script changed the title"] * (result["title"] == "owned")
    bad += [f"{name}: axe looked at {result['passes']} things only"] * (result["passes"] < 15)
    return bad


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        axe = file.read()
    bad = [one for word in sys.argv[3:] for one in check(axe, sys.argv[2], *reversed(word.split(":", 1)))]
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
