"""Each check of headers.py goes red on a small tree that breaks its rule, and stays green on one that keeps it."""

import contextlib
import io
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import docs
import headers

GOOD = """// Numbers that add.
#pragma once

#include <cstdint>

namespace topoplan::inline v1 {

// The sum of both. complexity: O(1). errors: none.
[[nodiscard]] inline int sum(int a, int b) { return a + b; }

}  // namespace topoplan::inline v1
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve()
        self.root = self.base / "include" / "topoplan"
        self.write("core/sum.hpp", GOOD)
        self.write("topoplan.hpp", "// Everything; includes only.\n#pragma once\n\n#include <topoplan/core/sum.hpp>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def library(self, name, text):
        path = self.base / "others" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, *commands):
        out = io.StringIO()
        common = ["--root", str(self.root), "--scan", str(self.base / "scan.json"), "--cache", str(self.base / "cache"),
                  "--budget", str(self.base / "budget.csv"), "--components", str(self.base / "components.txt"), "--compiler", os.environ.get("CXX", "g++"),
                  "--flags", f"-isystem {self.base / 'others'}"]
        with contextlib.redirect_stdout(out):
            codes = [headers.main([c, *common]) for c in commands]
        return codes[-1], out.getvalue()

    def red(self, words, *commands):
        code, out = self.run_check(*commands)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def green(self, *commands):
        code, out = self.run_check(*commands)
        self.assertEqual(code, 0, out)

    def test_a_good_tree_passes_every_check(self):
        self.green("scan", "alone")
        for command in ("layers", "umbrella", "style", "docs"):
            self.green(command)
        self.green("write-budget", "budget")

    def test_a_missing_include(self):
        self.write("core/sum.hpp", GOOD.replace("int sum(", "std::string name();\ninline int sum("))
        self.red("core/sum.hpp: doesn't compile alone", "scan", "alone")

    def test_a_header_without_a_guard(self):
        self.write("core/sum.hpp", GOOD.replace("#pragma once\n", ""))
        self.red("core/sum.hpp: doesn't compile alone", "scan", "alone")

    def test_a_warning(self):
        self.write("core/sum.hpp", GOOD.replace("return a + b;", "unsigned c = a; return a + b + int(c);"))
        self.red("sign-conversion", "scan", "alone")

    def test_names_that_are_macros_elsewhere(self):
        for name in ("linux", "unix", "I", "B0"):
            self.write("core/sum.hpp", GOOD.replace("int b)", f"int {name})").replace("+ b", f"+ {name}"))
            self.red("doesn't compile alone", "scan", "alone")
        for name in ("major", "minor"):
            self.write("core/sum.hpp", GOOD.replace("sum(int a", f"{name}(int a"))
            self.red("doesn't compile alone", "scan", "alone")

    def test_names_that_are_macros_elsewhere_under_a_third_party_header(self):
        self.library("boost/graph.hpp", "#pragma once\ntemplate <class I> struct boost_graph {};\n")
        self.write("graph/fold.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>"))
        self.green("scan", "alone")
        self.write("graph/fold.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>").replace("int b)", "int I)").replace("+ b", "+ I"))
        self.red("doesn't compile alone", "scan", "alone")

    def test_a_module_that_includes_upward(self):
        self.write("layout/order.hpp", GOOD)
        self.write("core/sum.hpp", GOOD.replace("<cstdint>", "<topoplan/layout/order.hpp>").replace("sum(", "sum2("))
        self.red("core/sum.hpp: core may not include layout/order.hpp", "scan", "layers")

    def test_a_module_that_reaches_upward_through_another(self):
        self.write("cluster/cluster.hpp", GOOD)
        self.write("layout/order.hpp", GOOD.replace("<cstdint>", "<topoplan/cluster/cluster.hpp>").replace("sum(", "sum2("))
        self.write("rank_map/rank_map.hpp", GOOD.replace("<cstdint>", "<topoplan/layout/order.hpp>").replace("sum(", "sum3("))
        self.red("rank_map/rank_map.hpp: rank_map may not include cluster/cluster.hpp", "scan", "layers")

    def test_an_unknown_module(self):
        self.write("misc/sum.hpp", GOOD)
        self.red("module 'misc' isn't in the layer table", "scan", "layers")

    def test_a_third_party_header_in_the_wrong_module(self):
        self.library("boost/graph.hpp", "#pragma once\n")
        self.write("core/sum.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>"))
        self.red("core/sum.hpp: core may not include boost", "scan", "layers")
        self.write("core/sum.hpp", GOOD)
        self.write("graph/fold.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>"))
        self.green("scan", "layers")

    def test_an_unknown_third_party_header(self):
        self.library("fancy/fancy.hpp", "#pragma once\n")
        self.write("solve/place.hpp", GOOD.replace("<cstdint>", "<fancy/fancy.hpp>"))
        self.red("solve/place.hpp: solve may not include unknown", "scan", "layers")

    def test_range_v3_whole(self):
        self.library("range/v3/all.hpp", "#pragma once\n")
        self.write("solve/place.hpp", GOOD.replace("<cstdint>", "<range/v3/all.hpp>"))
        self.red("solve/place.hpp: includes range/v3/all.hpp", "scan", "layers")

    def test_range_v3_in_the_rank_map(self):
        self.library("range/v3/view/zip.hpp", "#pragma once\n")
        for name, check in (("rank_map/groups.hpp", self.green), ("rank_map/binary.hpp", None)):
            self.write(name, GOOD.replace("<cstdint>", "<range/v3/view/zip.hpp>"))
            if check:
                check("scan", "layers")
        self.red("rank_map/binary.hpp: rank_map may not include range-v3", "scan", "layers")

    def test_json_has_one_door(self):
        self.library("nlohmann/json.hpp", "#pragma once\n")
        self.write("import/detail/json.hpp", GOOD.replace("<cstdint>", "<nlohmann/json.hpp>"))
        self.write("import/cluster_file.hpp", GOOD.replace("<cstdint>", "<topoplan/import/detail/json.hpp>").replace("sum(", "sum2("))
        self.green("scan", "layers")
        self.write("import/cluster_file.hpp", GOOD.replace("<cstdint>", "<nlohmann/json.hpp>"))
        self.red("only import/detail/json.hpp may include nlohmann-json", "scan", "layers")
        self.write("import/cluster_file.hpp", GOOD)
        self.write("emit/plan.hpp", GOOD.replace("<cstdint>", "<topoplan/import/detail/json.hpp>").replace("sum(", "sum2("))
        self.red("emit/plan.hpp: emit may not include import/detail/json.hpp", "scan", "layers")

    def test_components(self):
        self.library("boost/graph.hpp", "#pragma once\n")
        self.write("graph/fold.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>").replace("sum(", "sum2("))
        self.write("import/fabric.hpp", GOOD.replace("<cstdint>", "<topoplan/graph/fold.hpp>").replace("sum(", "sum3("))
        components = self.base / "components.txt"
        line = lambda name, needs, packages, *held: f"{name}|{needs}|{packages}|{';'.join(str(self.root / h) for h in held)}\n"
        rest = line("core", "", "", "core/sum.hpp") + line("all", "core;graph", "", "topoplan.hpp")
        good = rest + line("graph", "core", "Boost", "graph/fold.hpp", "import/fabric.hpp")
        components.write_text(good)
        self.green("scan", "components")
        components.write_text(rest + line("graph", "core", "Boost", "graph/fold.hpp") + line("import", "core", "", "import/fabric.hpp"))
        self.red("import/fabric.hpp: is in component import, which doesn't bring graph/fold.hpp of component graph", "components")
        self.red("import/fabric.hpp: is in component import, which doesn't bring boost", "components")
        components.write_text(good.replace("Boost", ""))
        self.red("graph/fold.hpp: is in component graph, which doesn't bring boost", "components")
        components.write_text(rest + line("graph", "core", "Boost", "graph/fold.hpp"))
        self.red("import/fabric.hpp: is in no component", "components")

    def test_the_umbrella(self):
        self.write("core/product.hpp", GOOD)
        self.write("core/detail/private.hpp", GOOD)
        self.write("import/xml_topology.hpp", GOOD)
        self.red("topoplan.hpp: doesn't include core/product.hpp", "umbrella")
        self.assertNotIn("private", self.run_check("umbrella")[1])
        self.assertNotIn("xml", self.run_check("umbrella")[1])
        self.green("write-umbrella", "umbrella")
        self.write("topoplan.hpp", (self.root / "topoplan.hpp").read_text() + "#include <topoplan/core/gone.hpp>\nint x;\n")
        self.red("topoplan.hpp: includes core/gone.hpp", "umbrella")
        self.red("holds more than includes: int x;", "umbrella")

    def test_style(self):
        for old, new, words in (
            ("return a + b;", "return a + b;" + "\n" * 400, "400 at most"),
            ("// Numbers that add.\n", "", "the first line must be a comment"),
            ("#pragma once\n", "", "#pragma once must follow"),
            ("#include <cstdint>", '#include "core/other.hpp"', "angle brackets"),
            ("#include <cstdint>", "#define SUM 1", "a macro"),
            ("return a + b;", "return a + b;  // TODO round", "unfinished work"),
            ("::inline v1 {", " {", "topoplan::inline v1"),
            ("\nnamespace topoplan", "\nusing namespace std;\nnamespace topoplan", "using-directive"),
        ):
            with self.subTest(words):
                self.write("core/sum.hpp", GOOD.replace(old, new, 1))
                self.red(words, "style")

    def test_the_budget(self):
        self.green("scan", "write-budget")
        budget = self.base / "budget.csv"
        budget.write_text("header,max_lines,max_third_party\ncore/sum.hpp,3,0\ntopoplan.hpp,90000,0\ncore/gone.hpp,1,0\n")
        self.red("its budget is 3", "budget")
        self.red("core/gone.hpp: is in", "budget")
        budget.write_text("header,max_lines,max_third_party\ntopoplan.hpp,90000,0\n")
        self.red("core/sum.hpp: has no row", "budget")
        self.library("boost/graph.hpp", "#pragma once\n")
        self.write("core/sum.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>"))
        budget.write_text("header,max_lines,max_third_party\ntopoplan.hpp,90000,1\ncore/sum.hpp,90000,0\n")
        self.red("core/sum.hpp: 1 third-party, its budget is 0", "scan", "budget")

    def test_the_rank_map_header(self):
        self.red("missing", "scan", "rank_map")
        self.write("rank_map/rank_map.hpp", GOOD)
        self.green("scan", "rank_map")
        self.library("boost/graph.hpp", "#pragma once\n")
        self.write("rank_map/rank_map.hpp", GOOD.replace("<cstdint>", "<boost/graph.hpp>"))
        self.red("rank_map/rank_map.hpp: includes", "scan", "rank_map")
        self.write("rank_map/rank_map.hpp", GOOD + "extern int a;\n" * 27001)
        self.red("27000 at most", "scan", "rank_map")

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc isn't on this machine")
    def test_a_header_that_nvcc_refuses(self):
        self.green("cuda")
        self.write("core/sum.hpp", GOOD.replace("return a + b;", "\n#ifdef __CUDACC__\n  return a + ;\n#endif\n  return a + b;"))
        self.red("core/sum.hpp: nvcc refuses it", "cuda")

    def test_a_tree_without_headers(self):
        for path in self.root.rglob("*.hpp"):
            path.unlink()
        self.red("no headers", "scan")


class Docs(unittest.TestCase):
    def findings(self, body):
        return [what for _, what in docs.check("// Header.\n#pragma once\nnamespace topoplan::inline v1 {\n" + body + "\n}\n")]

    def test_a_function_needs_a_block_with_errors_and_complexity(self):
        self.assertEqual(self.findings("int f(int a);"), ["f() has no doc block"])
        self.assertEqual(self.findings("\n// Does it.\nint f(int a);"),
                         ["the doc block of f() doesn't say 'errors:'", "the doc block of f() doesn't say 'complexity:'"])
        self.assertEqual(self.findings("\n// errors: none. complexity: O(1).\nint f(int a);"), ["the doc block of f() has no sentence"])
        self.assertEqual(self.findings("\n// Does it. complexity: O(1). errors: none.\nint f(int a);"), [])

    def test_what_the_signature_says_need_not_be_said_again(self):
        self.assertEqual(self.findings("\n// Twice a.\nint f(int a) noexcept { return 2 * a; }"), [])
        self.assertEqual(self.findings("\n// Twice a. errors: none.\nint f(int a) { return 2 * a; }"), [])
        self.assertEqual(self.findings("\nint f(int a) noexcept { return 2 * a; }"), ["f() has no doc block"])

    def test_a_block_covers_the_overloads_that_follow_without_an_empty_line(self):
        doc = "\n// Does it. complexity: O(1). errors: none.\n"
        self.assertEqual(self.findings(doc + "int f(int a);\nint f(long a);"), [])
        self.assertEqual(self.findings(doc + "int f(int a) {\n  return a;\n}\ntemplate <class T>\nint f(T a) {\n  return a;\n}"), [])
        self.assertEqual(self.findings(doc + "int f(int a);\n\nint f(long a);"), ["f() has no doc block"])

    def test_templates_operators_and_trailing_returns_are_functions(self):
        for declaration, name in (
            ("template <class T>\n  requires std::integral<T>\nT twice(T a) { return 2 * a; }", "twice"),
            ("template <std::integral T, class = decltype(f(T{}))>\n[[nodiscard]] constexpr auto twice(T a) -> T;", "twice"),
            ("bool operator==(a x, b y);", "operator=="),
            ('constexpr bytes operator""_B(unsigned long long n);', 'operator""_B'),
            ("std::ostream& operator<<(std::ostream& out, a x);", "operator<<"),
            ("inline std::map<int, std::vector<int>> f(const char* a = \"{\", int b = 3) { return {}; }", "f"),
            ("void f() {\n  const char c = '}';\n  /* { */\n}", "f"),
        ):
            with self.subTest(declaration):
                self.assertEqual(self.findings("\n" + declaration), [name + "() has no doc block"])

    def test_what_is_no_function(self):
        for text in ("inline constexpr int a = f(3);", "using f = int(int);", "static_assert(sizeof(int) == 4);", "struct later;",
                     "inline constexpr std::array<int, 3> all{1, 2, 3};", "// A rule.\ntemplate <class T>\nconcept fits = requires(T t) { t(); };",
                     "namespace detail {\nint f();\nstruct s {};\n}", "// A thing.\nstruct s {\n  int f();\n  s() : a{1} {}\n  int a;\n};",
                     "inline int s::f() { return 1; }"):
            with self.subTest(text):
                self.assertEqual(self.findings("\n" + text), [])

    def test_a_type_needs_a_comment(self):
        self.assertEqual(self.findings("\nenum class kind { a, b };"), ["a type without a comment: enum class kind"])
        self.assertEqual(self.findings("\ntemplate <class T>\nstruct s {\n  int f();\n};"), ["a type without a comment: template <class T> struct s"])
        self.assertEqual(self.findings("\n// A kind.\nenum class kind { a, b };"), [])


if __name__ == "__main__":
    unittest.main()
