"""The checker of README blocks passes a good file and goes red on each way in which a file can lie."""

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

import readme

HERE = Path(__file__).resolve().parent
GOOD = (HERE / "fixture" / "README.md").read_text()


class Blocks(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "README.md")
            path.write_text(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = readme.main([str(path), "--source", str(HERE.parents[1]), "--compiler", os.environ.get("CXX", "g++")])
            return code, out.getvalue()

    def red(self, words, old, new):
        self.assertIn(old, GOOD)
        code, out = self.check(GOOD.replace(old, new, 1))
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_the_fixture_is_true(self):
        self.assertEqual(self.check(GOOD), (0, ""))

    def test_an_output_that_is_not_printed(self):
        self.red("prints something else than it shows", "50 GB/s\n400", "51 GB/s\n400")

    def test_code_that_does_not_compile(self):
        self.red("README.md:6: doesn't compile", "400_Gbps", "400_Gbit")
        self.red("README.md:25: doesn't compile", "rank_id{3}", "rank{3}")

    def test_code_that_fails(self):
        self.red("exits 3", "std::printf", "return 3;\nstd::printf")

    def test_a_console_line_that_prints_something_else(self):
        self.red("prints something else", "$ echo four", "$ echo fore")
        self.red("prints something else", "...\nthree", "...\nfour")
        self.red("prints something else", "$ true", "$ echo surprise")

    def test_a_command_that_fails(self):
        self.red("'false' exits 1", "$ true", "$ false")

    def test_fences_that_no_test_runs(self):
        self.red("a fence in cpp that no test runs", "<!-- test: compile -->\n", "")
        self.red("a fence in console that no test runs", "<!-- test: console -->\n", "")

    def test_marks_that_fit_nothing(self):
        self.red("doesn't fit a fence in 'cpp'", "<!-- test: run -->", "<!-- test: runs -->")
        self.red("an output without a program", "<!-- test: compile -->\n", "<!-- test: output -->\n")

    def test_the_lines_to_paste(self):
        self.red("exactly one fence marked <!-- line: test -->", "line: test", "line: tests")
        self.red("must be one line", "echo test\n", "echo test\necho more\n")

    def test_a_missing_file(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(readme.main([str(HERE / "none.md"), "--source", str(HERE)]), 1)
        self.assertIn("missing", out.getvalue())


if __name__ == "__main__":
    unittest.main()
