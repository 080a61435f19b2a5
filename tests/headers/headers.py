#!/usr/bin/env python3
"""Checks of the public headers: each compiles alone, keeps its layer, its size, its compile budget and its doc blocks.

`scan` runs the compiler once a header and writes what it saw to a JSON file; the other commands read that file or the sources.
Every command prints one line for each finding and exits 1 when there is any.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docs

# Who may include whom, transitively: module -> (modules of topoplan, third-party libraries).
BASE = {"core", "layout", "rank_map"}
LAYERS = {
    "core": (set(), set()),
    "layout": ({"core"}, set()),
    "rank_map": ({"core", "layout"}, set()),
    "cluster": (BASE, set()),
    "plan": (BASE | {"cluster"}, set()),
    "workload": (BASE | {"cluster"}, set()),
    "cost": (BASE | {"cluster", "workload"}, set()),
    "graph": (BASE | {"cluster"}, {"boost"}),
    "solve": (BASE | {"cluster", "plan", "graph", "cost", "workload"}, {"boost", "range-v3"}),
    "import": (BASE | {"cluster", "graph", "workload", "cost"}, {"boost"}),
    "emit": (BASE | {"cluster", "plan", "workload", "cost"}, set()),
    "health": (BASE | {"cluster"}, set()),
    "cuda": (BASE | {"cluster"}, {"cuda"}),
}
# Single headers that may reach more than their module.
EXTRA = {"rank_map/groups.hpp": {"range-v3"}}
# Modules whose headers a .cu file may include.
FROM_CU = {"core", "layout", "rank_map", "cluster", "plan"}
# The one door to each of these libraries; whoever includes the door may have the library.
DOORS = {"import/detail/json.hpp": "nlohmann-json", "import/detail/xml.hpp": "pugixml", "import/detail/yaml.hpp": "yaml-cpp"}
NO_UMBRELLA = re.compile(r"^cuda/|^import/(.*[_/])?(xml|yaml)[._]|/detail/")
# Bars that headroom can't raise: the hand-over header is what a launcher pays for.
FIXED_BUDGET = {"rank_map/rank_map.hpp": 27000}
MAX_LINES = 400
SOFT_LINES = 250

THIRD_PARTY = [
    ("boost", re.compile(r"/boost/")),
    ("nlohmann-json", re.compile(r"/nlohmann/")),
    ("range-v3", re.compile(r"/(range/v3|concepts|meta|std/detail)/")),
    ("pugixml", re.compile(r"/pugi(xml|config)\.hpp$")),
    ("yaml-cpp", re.compile(r"/yaml-cpp/")),
    ("cuda", re.compile(r"/cuda[^/]*/|/nccl[^/]*\.h$")),
]
PACKAGE_LIBRARY = {"Boost": "boost", "range-v3": "range-v3", "nlohmann_json": "nlohmann-json", "pugixml": "pugixml",
                   "yaml-cpp": "yaml-cpp"}
SYSTEM = re.compile(r"/lib/gcc|/lib/llvm|/lib/clang|/include/c\+\+/|/usr/include/([^/]+$|(x86_64|aarch64)-linux-gnu/|linux/|asm)")

# Names that system headers and old compilers define as macros; a header of ours that uses one dies in somebody's build.
POISON_ALWAYS = ["major(x)", "minor(x)", "linux", "unix"]
POISON_OURS = ["I", "B0"]  # third-party headers use them as template parameters

WARNINGS = shlex.split("-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror")


def all_headers(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob("*.hpp"))


def module_of(name):
    return name.split("/")[0] if "/" in name else ""


def direct_includes(text):
    return re.findall(r'^\s*#\s*include\s*([<"][^>"]+[>"])', text, re.MULTILINE)


def third_party_of(path):
    for library, pattern in THIRD_PARTY:
        if pattern.search(path):
            return library
    return None if SYSTEM.search(path) else "unknown"


class Scanner:
    def __init__(self, root, compiler, flags, cache):
        self.root, self.cache = root, cache
        self.command = [*compiler, "-std=c++20", *flags, "-I", str(root.parent)]
        self.version = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout

    def preprocess(self, name):
        with tempfile.TemporaryDirectory() as folder:
            source, deps = Path(folder, "alone.cpp"), Path(folder, "alone.d")
            source.write_text(f"#include <topoplan/{name}>\n")
            run = subprocess.run([*self.command, "-E", "-P", "-MD", "-MF", deps, "-MT", "x", source],
                                 capture_output=True, text=True)
            if run.returncode:
                return None, [], run.stderr
            found = deps.read_text().replace("\\\n", " ").split()[2:]
            return run.stdout, [os.path.realpath(d) for d in found], ""

    def compiles(self, text, key):
        """The compiler's complaint about a translation unit, or nothing; what compiled before isn't compiled again."""
        return self.remember([*self.command, *WARNINGS, "-fsyntax-only", "-x", "c++", "-"], text, key)

    def compiles_as_cuda(self, name, nvcc):
        text, _, complaint = self.preprocess(name)
        if text is None:
            return complaint
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "alone.cu")
            source.write_text(f"#include <topoplan/{name}>\n")
            command = [nvcc, "-std=c++20", "-Xcompiler=-Wall", "-Werror=all-warnings", "-I", str(self.root.parent), "-c"]
            return self.remember([*command, source, "-o", Path(folder, "alone.o")], "", text, " ".join(command))

    def remember(self, command, text, *key):
        digest = hashlib.sha256("\0".join([self.version, *self.command, text, *key]).encode()).hexdigest()
        stamp = self.cache / digest
        if stamp.exists():
            return ""
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        if run.returncode == 0:
            stamp.touch()
            return ""
        return run.stderr or run.stdout or f"exit {run.returncode}"

    def scan(self, name):
        text, deps, complaint = self.preprocess(name)
        if text is None:
            return {"complaint": complaint}
        ours = sorted(os.path.relpath(d, self.root) for d in deps if Path(d).is_relative_to(self.root))
        others = sorted(d for d in deps if not Path(d).is_relative_to(self.root))
        libraries = {d: third_party_of(d) for d in others}
        third = {d: library for d, library in libraries.items() if library}

        include = f"#include <topoplan/{name}>\n"
        poison = POISON_ALWAYS + ([] if third else POISON_OURS)
        complaint = self.compiles(poisoned(poison) + include + include, text)
        if third and not complaint and "/detail/" not in name:  # what is in detail comes along with a public header
            direct = {i for o in ours for i in direct_includes((self.root / o).read_text())}
            before = sorted(i for i in direct if not i.startswith("<topoplan/"))
            before = "".join(f"#include {i}\n" for i in before)
            complaint = self.compiles(before + poisoned(POISON_ALWAYS + POISON_OURS) + include, text)
        return {"complaint": complaint, "lines": text.count("\n"), "ours": [o for o in ours if o != name], "third_party": third}


def poisoned(names):
    return "".join(f"#undef {re.sub(r'[(].*', '', n)}\n#define {n} @ a macro of somebody else @\n" for n in names)


def run_scan(args):
    args.cache.mkdir(parents=True, exist_ok=True)
    scanner = Scanner(args.root, shlex.split(args.compiler), shlex.split(args.flags), args.cache)
    names = all_headers(args.root)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(names, pool.map(scanner.scan, names)))
    args.scan.write_text(json.dumps(found, indent=1))
    return [] if names else [f"{args.root}: no headers"]


def check_cuda(args):
    """Each header of the modules that a .cu file may include is compiled by nvcc, for host and device."""
    args.cache.mkdir(parents=True, exist_ok=True)
    scanner = Scanner(args.root, shlex.split(args.compiler), shlex.split(args.flags), args.cache)
    names = [n for n in all_headers(args.root) if module_of(n) in FROM_CU and n not in EXTRA]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = zip(names, pool.map(lambda n: scanner.compiles_as_cuda(n, args.nvcc), names))
    print(f"{len(names)} headers compiled as CUDA")
    return [f"{name}: {args.nvcc} refuses it\n{complaint}" for name, complaint in complaints if complaint]


def check_alone(args):
    return [f"{name}: doesn't compile alone\n{seen['complaint']}" for name, seen in read_scan(args).items() if seen["complaint"]]


def check_layers(args):
    findings = []
    for name, seen in read_scan(args).items():
        module = module_of(name)
        if "lines" not in seen or not module:
            continue
        if module not in LAYERS:
            findings.append(f"{name}: module '{module}' isn't in the layer table")
            continue
        modules, libraries = LAYERS[module]
        allowed = libraries | EXTRA.get(name, set()) | {DOORS[o] for o in [*seen["ours"], name] if o in DOORS and module == "import"}
        for other in seen["ours"]:
            if module_of(other) not in modules | {module}:
                findings.append(f"{name}: {module} may not include {other}")
        for path, library in seen["third_party"].items():
            if library not in allowed:
                findings.append(f"{name}: {module} may not include {library} ({path})")
                break
        if any(path.endswith("/range/v3/all.hpp") for path in seen["third_party"]):
            findings.append(f"{name}: includes range/v3/all.hpp; include the header of the view instead")
    for name in all_headers(args.root):
        for include in direct_includes((args.root / name).read_text()):
            library = third_party_of("/" + include[1:-1])
            if library in DOORS.values() and DOORS.get(name) != library:
                findings.append(f"{name}: only {door_of(library)} may include {library}")
    return findings


def check_components(args):
    """Whoever links a component can include each of its headers: what those include is in it, or in what it brings along."""
    needs, packages, home = {}, {}, {}
    for line in args.components.read_text().splitlines():
        name, needed, libraries, held = (field.split(";") for field in line.split("|"))
        needs[name[0]] = [n for n in needed if n]
        packages[name[0]] = {PACKAGE_LIBRARY[p] for p in libraries if p}
        home.update({os.path.relpath(os.path.realpath(h), args.root): name[0] for h in held if h})
    closure = lambda c: {c}.union(*(closure(n) for n in needs[c]))
    findings = [f"{name}: is in no component" for name in all_headers(args.root) if name not in home]
    for name, seen in read_scan(args).items():
        if "lines" not in seen or name not in home:
            continue
        reach = closure(home[name])
        libraries = set().union(*(packages[c] for c in reach))
        findings += [f"{name}: is in component {home[name]}, which doesn't bring {o} of component {home.get(o)}"
                     for o in seen["ours"] if home.get(o) not in reach]
        findings += [f"{name}: is in component {home[name]}, which doesn't bring {library}"
                     for library in sorted(set(seen["third_party"].values()) - libraries)]
    return findings


def door_of(library):
    return next(door for door, behind in DOORS.items() if behind == library)


def check_umbrella(args):
    path = args.root / "topoplan.hpp"
    if not path.exists():
        return ["topoplan.hpp: missing"]
    text = path.read_text()
    included = [i[1:-1].removeprefix("topoplan/") for i in direct_includes(text)]
    wanted = [n for n in all_headers(args.root) if n != "topoplan.hpp" and not NO_UMBRELLA.search(n)]
    findings = [f"topoplan.hpp: doesn't include {n}" for n in wanted if n not in included]
    findings += [f"topoplan.hpp: includes {n}, which it must not" for n in included if n not in wanted]
    rest = [l for l in text.splitlines() if l.strip() and not re.match(r"//|#pragma once$|#include ", l)]
    return findings + [f"topoplan.hpp: holds more than includes: {l}" for l in rest]


def write_umbrella(args):
    wanted = [n for n in all_headers(args.root) if n != "topoplan.hpp" and not NO_UMBRELLA.search(n)]
    path = args.root / "topoplan.hpp"
    head = path.read_text().split("#include", 1)[0].rstrip()
    path.write_text(head + "\n\n" + "".join(f"#include <topoplan/{n}>\n" for n in wanted))
    return []


def check_style(args):
    findings = []
    for name in all_headers(args.root):
        text = (args.root / name).read_text()
        lines = text.splitlines()
        say = lambda line, what: findings.append(f"{name}:{line}: {what}")
        if len(lines) > MAX_LINES:
            say(len(lines), f"{len(lines)} lines, {MAX_LINES} at most")
        elif len(lines) > SOFT_LINES:
            print(f"note: {name} has {len(lines)} lines, aim for {SOFT_LINES}")
        if not lines or not re.match(r"// \S.*", lines[0]):
            say(1, "the first line must be a comment that says in a sentence what the header is")
        if next((l for l in lines if l.strip() and not l.startswith("//")), "") != "#pragma once":
            say(1, "#pragma once must follow the first comment")
        code = docs.blank_out(text, keep_preprocessor=True)
        for number, line in enumerate(code.splitlines(), 1):
            if re.match(r'\s*#\s*include\s*"', lines[number - 1]):
                say(number, "include with angle brackets")
            if re.match(r"\s*#\s*define\b", line) and name != "core/host_device.hpp":
                say(number, "a macro; core/host_device.hpp holds the only one")
            if re.search(r"^\s*using\s+namespace\b", line):
                say(number, "a using-directive in a header")
            if re.match(r"namespace topoplan\b(?!::inline v1\b)", line):
                say(number, "the namespace is written topoplan::inline v1")
        for number, line in enumerate(lines, 1):
            if re.search(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented|placeholder|\bfor now\b", line):
                say(number, "unfinished work is named: " + line.strip())
    return findings


def check_docs(args):
    findings = []
    for name in all_headers(args.root):
        if "/detail/" not in name and name != "topoplan.hpp":
            findings += [f"{name}:{line}: {what}" for line, what in docs.check((args.root / name).read_text())]
    return findings


def check_budget(args):
    findings, rows = [], read_budget(args.budget)
    public = {n: s for n, s in read_scan(args).items() if "/detail/" not in n and "lines" in s}
    for name, seen in public.items():
        if name not in rows:
            findings.append(f"{name}: has no row in {args.budget}")
            continue
        for what, measured in (("lines", seen["lines"]), ("third_party", len(seen["third_party"]))):
            if measured > rows[name][what]:
                findings.append(f"{name}: {measured} {what.replace('_', '-')}, its budget is {rows[name][what]}")
    return findings + [f"{name}: is in {args.budget} but isn't a header" for name in rows if name not in public]


def write_budget(args):
    """Headroom of a tenth, in steps that a small change doesn't cross; no third-party header stays none."""
    rows = []
    for name, seen in read_scan(args).items():
        if "/detail/" not in name and "lines" in seen:
            third = len(seen["third_party"])
            lines = -(-seen["lines"] * 11 // 10000) * 1000
            rows.append([name, min(lines, FIXED_BUDGET.get(name, lines)), -(-third * 11 // 100) * 10])
    with args.budget.open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([["header", "max_lines", "max_third_party"], *rows])
    return []


def read_budget(path):
    with path.open(newline="") as source:
        return {r["header"]: {"lines": int(r["max_lines"]), "third_party": int(r["max_third_party"])} for r in csv.DictReader(source)}


def check_rank_map(args):
    """The hand-over header keeps its bar and includes nothing that isn't standard."""
    limit = FIXED_BUDGET["rank_map/rank_map.hpp"]
    seen = read_scan(args).get("rank_map/rank_map.hpp")
    if seen is None or "lines" not in seen:
        return ["rank_map/rank_map.hpp: missing, or doesn't compile"]
    print(f"rank_map/rank_map.hpp: {seen['lines']} preprocessed lines, {len(seen['third_party'])} third-party headers")
    findings = [f"rank_map/rank_map.hpp: includes {path}" for path in seen["third_party"]]
    return findings + ([f"rank_map/rank_map.hpp: {seen['lines']} lines, {limit} at most"] if seen["lines"] > limit else [])


def read_scan(args):
    return json.loads(args.scan.read_text())


COMMANDS = {
    "scan": run_scan, "alone": check_alone, "layers": check_layers, "umbrella": check_umbrella, "style": check_style,
    "docs": check_docs, "budget": check_budget, "rank_map": check_rank_map, "cuda": check_cuda,
    "components": check_components,
    "write-umbrella": write_umbrella, "write-budget": write_budget,
}


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--root", type=lambda p: Path(p).resolve(), required=True, help="include/topoplan")
    parser.add_argument("--scan", type=Path, help="the JSON file that scan writes")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="", help="further flags of the compiler, such as -isystem")
    parser.add_argument("--components", type=Path, help="the file that CMake writes: name|needs|packages|headers")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cache", type=Path, help="folder that remembers what compiled")
    parser.add_argument("--budget", type=Path, help="benchmarks/compile_time/budget.csv")
    args = parser.parse_args(argv)
    findings = COMMANDS[args.command](args)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
