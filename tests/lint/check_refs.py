#!/usr/bin/env python3
"""References to pages of docs/ and what is in them.

"docs/PATH.md" anywhere names a page that exists. "docs/PATH.md, TEXT" with a TEXT that begins with
a capital or a digit names a place of that page: TEXT up to a bracket, `.` or `:` is the beginning of a
heading, or of the bold words that begin a paragraph, to a whole word, in any case. Further places
follow behind a comma or a semicolon; what begins with a small letter there is prose. Lines of a
comment are joined before. Links between pages, [text](page.md#anchor), lead somewhere, too.
"""
import os
import re

import lintlib

SUFFIXES = (".c", ".h", ".inc", ".def", ".cc", ".py", ".cmake", ".txt", ".md")
# The seeds of lint scripts name pages that are not there.
LEFT_OUT = ("tests/lint/",)

REFERENCE = re.compile(r"(?<![\w/.-])docs/[\w./-]*?\w\.md\b")
JOIN = re.compile(r"[ \t]*\n[ \t]*(?:\*(?!/)|//|#)?[ \t]*")
TEXT = re.compile(r',[ ]"?(?=[A-Z0-9])([^().:"|]*)')
FENCE = re.compile(r"^```.*?^```", re.S | re.M)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)
BOLD = re.compile(r"^[ \t]*(?:[-*] |\d+\. )?\*\*([^*]+)\*\*", re.M)
LINK = re.compile(r"\]\(([^()\s]+)\)")


def plain(text):
    """Words alone, for comparisons."""
    return " ".join(text.replace("`", "").split()).rstrip(" .:").lower()


def page(root, name):
    return FENCE.sub("", lintlib.read(root, name))


def places(root, name):
    text = page(root, name)
    return [plain(m) for m in HEADING.findall(text) + BOLD.findall(text)]


def anchors(root, name):
    """As GitHub makes them of headings."""
    found = set()
    for heading in HEADING.findall(page(root, name)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while slug + (f"-{number}" if number else "") in found:
            number += 1
        found.add(slug + (f"-{number}" if number else ""))
    return found


def begins(text, known):
    text = plain(text)
    return any(p.startswith(text) and not p[len(text):len(text) + 1].isalnum() for p in known)


def wrong(text, known):
    """The first place of a list that is not there, or None. A place may have commas itself."""
    text = text.strip()
    cuts = [len(text)] + [m.start() for m in re.finditer("[,;]", text)][::-1]
    for cut in cuts:
        rest = text[cut + 1:].strip()
        if text[:cut].strip() and begins(text[:cut], known):
            return wrong(rest, known) if rest[:1].isupper() or rest[:1].isdigit() else None
    return text[:cuts[-1]]


def check_references(root, name, text, cache):
    found = []
    for match in REFERENCE.finditer(text):
        where = f"{name}:{lintlib.line_of(text, match.start())}: {match.group(0)}"
        to = match.group(0)
        if not os.path.isfile(os.path.join(root, to)):
            found.append(f"{where}: no such page")
            continue
        behind = text[match.end():match.end() + 400].split("\n\n")[0].split("*/")[0]
        named = TEXT.match(JOIN.sub(" ", behind))
        if not named:
            continue
        if to not in cache:
            cache[to] = places(root, to)
        missing = wrong(named.group(1), cache[to])
        if missing:
            found.append(f"{where}: no heading begins with \"{missing}\"")
    return found


def check_links(root, name):
    text = CODE.sub("", page(root, name))
    found = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(root, to)):
            found.append(f"{name}: link to {target}: no such page")
        elif anchor and to.endswith(".md") and anchor not in anchors(root, to):
            found.append(f"{name}: link to {target}: no such heading")
    return found


def check(root):
    found, cache = [], {}
    for name in lintlib.tracked(root, *SUFFIXES):
        if name.startswith(LEFT_OUT):
            continue
        found += check_references(root, name, lintlib.read(root, name), cache)
        if name.endswith(".md"):
            found += check_links(root, name)
    return found


PAGE = ("# Rows\n\n## Wide rows, on Zen 4\n\nx\n\n- **Thin diagonals.** x\n\n## Rule 10: slabs\n\n"
        "```sh\n# Commands\n```\n")
SEEDS = [
    ({"docs/rows.md": PAGE, "docs/b/a.md": "[x](../rows.md#wide-rows-on-zen-4) [y](#a)\n\n# A\n",
      "src/a.c": "/* docs/rows.md, wherever; docs/rows.md, Wide\n * rows, on Zen 4; Thin diagonals;"
                 " and more. */\nint x; /* docs/rows.md, Rule 10 */\n",
      "src/b.h": "/* (docs/rows.md, Thin diagonals, of which x)\n   docs/rows.md, docs/b/a.md */\n",
      "README.md": "docs/rows.md, Wide rows: x [z](https://a.b/c.md) `[q](r.md)`\n"}, None),
    ({"src/a.c": "/* docs/rows.md */\n"}, "src/a.c:1: docs/rows.md: no such page"),
    ({"docs/rows.md": PAGE, "src/a.c": "\n/* (docs/rows.md, Narrow\n * rows) */\n"},
     'src/a.c:2: docs/rows.md: no heading begins with "Narrow rows"'),
    ({"docs/rows.md": PAGE, "a.md": "docs/rows.md, Wide rows, Narrow rows."}, '"Narrow rows"'),
    ({"docs/rows.md": PAGE, "a.md": "docs/rows.md, Thin diagonals; Thick ones."}, '"Thick ones"'),
    ({"docs/rows.md": PAGE, "a.md": "docs/rows.md, Rule 1."}, '"Rule 1"'),
    ({"docs/rows.md": PAGE, "a.md": "docs/rows.md, Commands."}, '"Commands"'),
    ({"docs/rows.md": PAGE, "docs/a.md": "[x](row.md)\n"}, "link to row.md: no such page"),
    ({"docs/rows.md": PAGE, "docs/a.md": "[x](rows.md#thin)\n"}, "#thin: no such heading"),
]

if __name__ == "__main__":
    lintlib.main(check, SEEDS)
