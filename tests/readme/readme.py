#!/usr/bin/env python3
"""Runs what a Markdown file shows.

A comment in the line before a fence says what the fence is for:

    <!-- test: run -->       C++: compiled and run. When the next fence is marked <!-- test: output -->, it must be what was printed.
    <!-- test: compile -->   C++: compiled only.
    <!-- test: console -->   commands after "$ ", each followed by what it prints; a line "..." stands for any lines.
    <!-- line: NAME -->      one shell line for the reader to paste; .ci/run and the tests find it by its name.

C++ without a main() is the body of one. Every fence in cpp or console must be marked. Commands run in an empty folder in which
examples/ is the repository's, and find the built programs on PATH; a command that fails fails the test.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LINES = ("build", "test")


@dataclass
class Fence:
    line: int
    language: str
    mark: str
    text: str


def fences(markdown):
    """The fences of a file with the mark that stands directly above each."""
    found, lines, at = [], markdown.splitlines(), 0
    while at < len(lines):
        opening = re.match(r"(`{3,})\s*(\w*)", lines[at])
        if not opening:
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == opening.group(1)), len(lines))
        above = re.fullmatch(r"<!--\s*(.*?)\s*-->", lines[at - 1].strip()) if at else None
        found.append(Fence(at + 1, opening.group(2), above.group(1) if above else "", "\n".join(lines[at + 1 : end]) + "\n"))
        at = end + 1
    return found


def program_of(text):
    """A whole program: as it is, or with everything but its includes put into main()."""
    if re.search(r"\bint main\s*\(", text):
        return text
    lines = text.splitlines()
    head = [l for l in lines if re.match(r"\s*(#\s*include|using namespace|namespace \w+ =)", l)]
    return "\n".join([*head, "int main() {", *(l for l in lines if l not in head), "}"]) + "\n"


def same(expected, printed):
    """Whether what was printed is what is shown; a line "..." matches any lines, also none."""
    parts = [re.escape(p) for p in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


def differs(where, expected, printed):
    return f"{where}: prints something else than it shows\n--- shown\n{expected}--- printed\n{printed}---"


class Checker:
    def __init__(self, args, folder):
        self.args, self.folder = args, Path(folder)
        self.environment = dict(os.environ, PATH=os.pathsep.join([*args.path, os.environ["PATH"]]), LC_ALL="C.UTF-8")
        if (args.source / "examples").is_dir():
            (self.folder / "examples").symlink_to(args.source / "examples")

    def run(self, command, **more):
        return subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **more)

    def compile(self, where, fence):
        source, program = self.folder / f"block{fence.line}.cpp", self.folder / f"block{fence.line}"
        source.write_text(program_of(fence.text))
        command = [*shlex.split(self.args.compiler), "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", *shlex.split(self.args.flags),
                   "-I", self.args.source / "include", source, "-o", program]
        built = self.run(command)
        return program, ([f"{where}: doesn't compile\n{built.stdout}"] if built.returncode else [])

    def cpp(self, where, fence, following):
        program, findings = self.compile(where, fence)
        if findings or fence.mark == "test: compile":
            return findings
        run = self.run([program])
        if run.returncode:
            return [f"{where}: exits {run.returncode}\n{run.stdout}"]
        if following and following.mark == "test: output" and not same(following.text, run.stdout):
            return [differs(where, following.text, run.stdout)]
        return []

    def console(self, where, fence):
        pieces = re.split(r"^\$ ", fence.text, flags=re.MULTILINE)
        if pieces[0].strip() or len(pieces) == 1:
            return [f"{where}: a console block starts with '$ ' and a command"]
        findings = []
        for piece in pieces[1:]:
            command, rest = "", piece
            while True:  # a command goes on after a backslash
                line, _, rest = rest.partition("\n")
                command += line + "\n"
                if not line.endswith("\\"):
                    break
            run = self.run(["bash", "-c", command])
            if run.returncode:
                findings.append(f"{where}: '{command.strip()}' exits {run.returncode}\n{run.stdout}")
            elif not same(rest.rstrip("\n") + "\n" if rest.strip() else "", run.stdout):
                findings.append(differs(f"{where}: '{command.strip()}'", rest, run.stdout))
        return findings

    def check(self, path):
        found, findings = fences(path.read_text()), []
        for index, fence in enumerate(found):
            where = f"{path.name}:{fence.line}"
            following = found[index + 1] if index + 1 < len(found) else None
            if fence.mark in ("test: run", "test: compile") and fence.language == "cpp":
                findings += self.cpp(where, fence, following)
            elif fence.mark == "test: console" and fence.language == "console":
                findings += self.console(where, fence)
            elif fence.mark == "test: output":
                if not index or found[index - 1].mark != "test: run":
                    findings.append(f"{where}: an output without a program above it")
            elif fence.mark.startswith("line: "):
                if fence.text.count("\n") != 1:
                    findings.append(f"{where}: '{fence.mark}' must be one line")
            elif fence.mark.startswith("test:"):
                findings.append(f"{where}: '{fence.mark}' doesn't fit a fence in '{fence.language}'")
            elif fence.language in ("cpp", "console"):
                findings.append(f"{where}: a fence in {fence.language} that no test runs; mark it with <!-- test: ... -->")
        for name in self.args.lines:
            if sum(f.mark == f"line: {name}" for f in found) != 1:
                findings.append(f"{path.name}: needs exactly one fence marked <!-- line: {name} -->")
        return findings


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--source", type=lambda p: Path(p).resolve(), required=True, help="the repository")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="")
    parser.add_argument("--path", action="append", default=[], help="a folder with built programs")
    parser.add_argument("--lines", nargs="*", default=LINES, help="the shell lines that the file must have")
    args = parser.parse_args(argv)
    findings = []
    for path in args.files:
        with tempfile.TemporaryDirectory() as folder:
            findings += Checker(args, folder).check(path) if path.exists() else [f"{path}: missing"]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
