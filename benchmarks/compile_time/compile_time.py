#!/usr/bin/env python3
"""Prints what including each public header costs: preprocessed lines and third-party headers against the budget, and the time
that the compiler takes to parse it, beside headers that people know."""

import argparse
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "headers"))
import headers  # noqa: E402

PEERS = ["vector", "ranges", "regex", "boost/graph/adjacency_list.hpp", "range/v3/all.hpp", "nlohmann/json.hpp"]


def parse_seconds(command, include, repeats):
    """The median of the compiler's CPU-bound wall times; nothing when the header isn't there."""
    times = []
    for _ in range(repeats):
        start = time.monotonic()
        run = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=f"#include <{include}>\n", text=True,
                             capture_output=True)
        if run.returncode:
            return None
        times.append(time.monotonic() - start)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=lambda p: Path(p).resolve(), required=True, help="include/topoplan")
    parser.add_argument("--budget", type=Path, required=True)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()

    scanner = headers.Scanner(args.root, shlex.split(args.compiler), shlex.split(args.flags), None)
    budget = headers.read_budget(args.budget)
    row = "{:<44} {:>8} {:>8} {:>12} {:>12} {:>9}".format
    print(row("header", "lines", "budget", "third-party", "budget", "parse s"))
    for name in [n for n in headers.all_headers(args.root) if "/detail/" not in n]:
        text, deps, complaint = scanner.preprocess(name)
        if text is None:
            print(f"{name}: {complaint}", file=sys.stderr)
            return 1
        third = sum(1 for d in deps if not Path(d).is_relative_to(args.root) and headers.third_party_of(d))
        allowed = budget.get(name, {"lines": "-", "third_party": "-"})
        seconds = parse_seconds(scanner.command, f"topoplan/{name}", args.repeats)
        print(row(name, text.count("\n"), allowed["lines"], third, allowed["third_party"], f"{seconds:.2f}"))
    for peer in PEERS:
        seconds = parse_seconds(scanner.command, peer, args.repeats)
        print(row(f"<{peer}>", "", "", "", "", "absent" if seconds is None else f"{seconds:.2f}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
