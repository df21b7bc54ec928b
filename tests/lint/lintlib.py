"""What the lint scripts share: the list of files, C text without comments and strings,
and a self-test that proves each script able to fail.

A script defines check(root) -> list of complaints and SEEDS, a list of
(files, expected part of a complaint or None for a clean tree), and calls main().
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tracked(root, *suffixes):
    """Tracked files (all files where root is no git checkout), relative, sorted."""
    names = None
    if os.path.exists(os.path.join(root, ".git")):
        names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True,
                               capture_output=True, text=True).stdout.split("\0")
    if names is None:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in ("build", ".git")]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(n for n in names if n and (not suffixes or n.endswith(suffixes))
                  and os.path.isfile(os.path.join(root, n)))


def read(root, name):
    """The text of a file, or "" when it is not text."""
    try:
        with open(os.path.join(root, name), encoding="utf-8") as f:
            return f.read()
    except UnicodeDecodeError:
        return ""


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def bare(text):
    """C text with comments blanked and literals emptied; line numbers stay."""
    def blank(match):
        s = match.group(0)
        if s[0] in "\"'":
            return s[0] * 2
        return re.sub(r"[^\n]", " ", s)
    return TOKEN.sub(blank, text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def self_test(check, seeds):
    complaints = []
    for number, (files, expected) in enumerate(seeds):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            found = check(root)
        if expected is None and found:
            complaints.append(f"seed {number}: clean tree, but: {found[0]}")
        if expected is not None and not any(expected in line for line in found):
            complaints.append(f"seed {number}: '{expected}' not noticed, only {found}")
    return complaints


def main(check, seeds):
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    complaints = self_test(check, seeds) if args.self_test else check(args.root)
    for line in complaints:
        print(line)
    sys.exit(1 if complaints else 0)
