"""The runner of must-not-compile cases goes red on each way in which a case can be wrong."""

import os
import tempfile
import unittest
from pathlib import Path

import run

CASE = """// error: no matching function|no match for
struct a {};
struct b {};
a operator+(a, a);
#ifndef TOPOPLAN_COMPILES
a wrong() { return a{} + b{}; }
#endif
"""


class Runner(unittest.TestCase):
    def judge(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "case.cpp")
            source.write_text(text)
            return run.judge(source, [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only"])

    def test_a_good_case(self):
        self.assertEqual(self.judge(CASE.replace("no matching function|no match for", "no match for|invalid operands")), "")

    def test_a_case_that_compiles(self):
        self.assertIn("compiles, and must not", self.judge(CASE.replace("b{}", "a{}")))

    def test_a_case_that_fails_for_another_reason(self):
        self.assertIn("no error line matches", self.judge(CASE.replace("no matching function|no match for", "never said")))
        self.assertIn("doesn't compile even without", self.judge(CASE + "int x = undeclared;\n"))

    def test_a_case_without_its_parts(self):
        self.assertIn("expected '// error: <regex>'", self.judge("// a case\n" + CASE))
        self.assertIn("must stand between", self.judge(CASE.replace("TOPOPLAN_COMPILES", "OTHER")))


if __name__ == "__main__":
    unittest.main()
