#!/usr/bin/env python3
"""Compiles a file that must not compile and looks for the sentence that its first line promises: `// error: <regex>`.

Passes when the compiler fails and one of its error lines matches. The same file must compile once the lines between
`#ifndef TOPOPLAN_COMPILES` and `#endif` are taken out, so that it fails for this reason and no other.
"""

import re
import subprocess
import sys
from pathlib import Path


def judge(source, command):
    """Why the case fails, or nothing."""
    first = source.read_text().splitlines()[0]
    if not (promise := re.match(r"// error: (.+)", first)):
        return f"{source}:1: expected '// error: <regex>', found '{first}'"
    if "#ifndef TOPOPLAN_COMPILES" not in source.read_text():
        return f"{source}: the offending lines must stand between #ifndef TOPOPLAN_COMPILES and #endif"
    control = subprocess.run([*command, "-DTOPOPLAN_COMPILES", source], capture_output=True, text=True)
    if control.returncode:
        return f"{source}: doesn't compile even without the offending lines\n{control.stderr}"
    run = subprocess.run([*command, source], capture_output=True, text=True)
    if run.returncode == 0:
        return f"{source}: compiles, and must not"
    errors = [line for line in run.stderr.splitlines() if re.search(r"\berror:", line)]
    if not any(re.search(promise.group(1), line) for line in errors):
        return f"{source}: no error line matches '{promise.group(1)}'\n{run.stderr}"
    return ""


def main(argv):
    source, *command = argv
    if complaint := judge(Path(source), command):
        print(complaint)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
