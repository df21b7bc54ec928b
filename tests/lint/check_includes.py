#!/usr/bin/env python3
"""Who may include whom: the table of folders in docs/design.md, as data."""
import re

import lintlib

# folder of src/ -> folders of src/ it may include besides itself
TABLE = {
    "base": [],
    "formats": ["base"],
    "compiler": ["base"],
    "kernels": ["base", "formats", "compiler"],
    "runtime": ["base", "formats"],
    "cpu": ["base", "formats", "runtime"],
    "gpu": ["base", "formats", "runtime"],
    "planner": ["base", "formats", "compiler", "kernels", "runtime"],
    "native": ["base", "formats", "compiler", "runtime"],
    "api": ["base", "formats", "runtime", "native", "planner"],
}
# One file connects the interface to the backends.
BACKENDS = ["cpu", "gpu"]
BACKEND_USERS_MAX = 1
# Folders outside src/ -> folders of src/ they may include; their own files are free.
OUTSIDE = {
    "tools/spblasc": ["base", "formats", "compiler", "kernels"],
    "tools/gpuimage": ["base", "cpu", "gpu", "kernels", "native", "planner", "runtime"],
    "tools/spblas/steps.c": ["base", "formats"],  # no public name for its text
    "tools/spblas/tune": ["base", "formats", "runtime", "planner"],  # the cost model
    "tools/": [],
    "compat/": [],
    "conformance/": [],
    "examples/": [],
    "include/": [],
}
# System headers that live behind one file; compat/ is apart from src/base.
WRAPPED = {"pthread.h": "src/base/sync.h"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def allowed_for(name):
    """(own folder, allowed folders, may include the public header), or None: free."""
    if name.startswith("src/"):
        folder = name.split("/")[1]
        return folder, TABLE.get(folder), folder == "api"
    for prefix, folders in OUTSIDE.items():
        if name.startswith(prefix):
            return None, folders, True
    return None


def check_file(root, name, backend_users):
    rule = allowed_for(name)
    if rule is None:
        return []
    own, folders, public = rule
    if folders is None:
        return [f"{name}: src/{own} is not in the include table"]
    found = []
    text = lintlib.read(root, name)
    for match in INCLUDE.finditer(text):
        kind, target = match.groups()
        where = f"{name}:{lintlib.line_of(text, match.start())}"
        head = target.split("/")[0]
        if kind == "<":
            if WRAPPED.get(target, name) != name and not name.startswith("compat/"):
                found.append(f"{where}: <{target}> belongs to {WRAPPED[target]}")
        elif ".." in target.split("/"):
            found.append(f"{where}: {target} climbs; includes start at src/")
        elif head in TABLE or head in BACKENDS:
            if head == own or head in folders:
                continue
            if own == "api" and head in BACKENDS:
                backend_users.add(name)
                continue
            found.append(f"{where}: {own or name} may not include {head}")
        elif target in ("spblas.h", "spblas_legacy.h"):
            if not public:
                found.append(f"{where}: only src/api knows the public header")
        elif own:
            found.append(f"{where}: {target} is not written relative to src/")
    return found


def check(root):
    found = []
    backend_users = set()
    for name in lintlib.tracked(root, ".c", ".h", ".def", ".cc"):
        found += check_file(root, name, backend_users)
    if len(backend_users) > BACKEND_USERS_MAX:
        found.append(f"one file of api may name a backend, not {sorted(backend_users)}")
    return found


SEEDS = [
    ({"src/compiler/a.c": '#include "base/arena.h"\n#include "compiler/ir.h"\n',
      "src/api/a.c": '#include "spblas.h"\n#include "cpu/cpu.h"\n',
      "src/base/sync.h": "#include <pthread.h>\n",
      "tools/spblasc.c": '#include "compiler/ir.h"\n',
      "tools/spblas/steps.c": '#include "formats/tensor.h"\n',
      "tests/unit/a_test.c": '#include "planner/plan.h"\n'}, None),
    ({"src/compiler/a.c": '#include "formats/matrix.h"\n'}, "may not include formats"),
    ({"src/base/a.c": '#include "cpu/cpu.h"\n'}, "may not include cpu"),
    ({"src/cpu/a.c": '#include "spblas.h"\n'}, "only src/api"),
    ({"src/cpu/a.c": '#include "../base/hash.h"\n'}, "climbs"),
    ({"src/cpu/a.c": '#include "cpu.h"\n'}, "relative to src/"),
    ({"src/cpu/a.c": "#include <pthread.h>\n"}, "belongs to"),
    ({"src/extra/a.c": "int x;\n"}, "not in the include table"),
    ({"examples/a.c": '#include "base/hash.h"\n'}, "may not include base"),
    ({"conformance/a.c": '#include "api/object.h"\n'}, "may not include api"),
    ({"compat/a.c": '#include <pthread.h>\n#include "base/log.h"\n'},
     "compat/a.c:2: compat/a.c may not include base"),
    ({"tools/spblas/a.c": '#include "base/hash.h"\n'}, "may not include base"),
    ({"src/api/a.c": '#include "cpu/cpu.h"\n',
      "src/api/b.c": '#include "cpu/cpu.h"\n'}, "one file of api"),
]

if __name__ == "__main__":
    lintlib.main(check, SEEDS)
