"""Installs topoplan to a temporary prefix and builds outside projects against it."""

import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = {"Boost": "libboost-dev", "range-v3": "librange-v3-dev", "nlohmann_json": "nlohmann-json3-dev",
            "pugixml": "libpugixml-dev", "yaml-cpp": "libyaml-cpp-dev"}
LAUNCHER_PRINTS = "".join(f"rank {r}: tp {r - 4} pp 1\n" for r in range(4, 8))
options = None


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        cls.run_cmake("--install", options.build, "--prefix", cls.prefix, "--component", "topoplan_headers")

    @staticmethod
    def run_cmake(*arguments, fails=False):
        run = subprocess.run([options.cmake, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if (run.returncode != 0) != fails:
            raise AssertionError(f"cmake {' '.join(map(str, arguments))}: exit {run.returncode}\n{run.stdout}")
        return run.stdout

    def configure(self, project, *definitions, fails=False, name=None):
        build = self.folder / (name or project)
        return build, self.run_cmake(
            "-S", HERE / project, "-B", build, "-G", options.generator, f"-DCMAKE_CXX_COMPILER={options.compiler}",
            f"-DCMAKE_PREFIX_PATH={self.prefix};{options.prefix_path}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
            *definitions, fails=fails)

    def program_prints(self, build, name, words):
        run = subprocess.run([build / name], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, words)

    def without(self, *packages):
        return [f"-DCMAKE_DISABLE_FIND_PACKAGE_{p}=ON" for p in packages]

    def test_core_alone_with_no_dependency_on_the_machine(self):
        build, _ = self.configure("core", *self.without(*PACKAGES))
        included = self.run_cmake("--build", build)
        self.assertIn("topoplan/rank_map/rank_map.hpp", included)
        self.assertNotRegex(included, r"/(boost|range/v3|nlohmann)/|pugixml|yaml-cpp")
        self.assertNotIn(str(options.source / "include"), included)
        self.program_prints(build, "launcher", LAUNCHER_PRINTS)

    def test_everything(self):
        build, _ = self.configure("full")
        self.run_cmake("--build", build)
        self.program_prints(build, "planner", "32 ranks on 4 hosts\n")

    def test_a_subproject(self):
        build, said = self.configure("subproject", f"-Dtopoplan_source={options.source}", *self.without(*PACKAGES))
        self.assertIn("topoplan::graph is left out: Boost wasn't found (Debian: apt-get install libboost-dev)", said)
        self.run_cmake("--build", build)
        self.program_prints(build, "launcher", LAUNCHER_PRINTS)

    def refused(self, words, components, *packages, version="0.1"):
        _, said = self.configure("refused", f"-Dcomponents={components}", f"-Dversion={version}", *self.without(*packages),
                                 fails=True, name="refused-" + re.sub(r"\W", "-", words))
        self.assertIn(words, " ".join(said.split()))

    def test_a_component_without_its_package_names_the_debian_package(self):
        for component, package in (("graph", "Boost"), ("solve", "Boost"), ("groups", "range-v3"), ("solve", "range-v3"),
                                   ("json", "nlohmann_json"), ("xml", "pugixml"), ("yaml", "yaml-cpp"), ("topoplan", "nlohmann_json")):
            with self.subTest(component=component, package=package):
                self.refused(f"(Debian: apt-get install {PACKAGES[package]})", component, package)

    def test_components_that_need_nothing(self):
        self.configure("refused", "-Dcomponents=core;import;emit", "-Dversion=0.1", *self.without(*PACKAGES), name="nothing")

    def test_an_unknown_component(self):
        self.refused("there is no component 'cuisine'; the components are core, groups,", "cuisine")

    def test_a_version_that_does_not_exist_yet(self):
        self.refused('compatible with requested version "99"', "core", version="99")

    def test_nothing_of_the_development_build_leaks(self):
        files = sorted(self.prefix.rglob("*.cmake"))
        self.assertGreater(len(files), 5)
        for path in files:
            text = path.read_text()
            self.assertNotRegex(text, r"INTERFACE_COMPILE_(OPTIONS|DEFINITIONS)|INTERFACE_LINK_OPTIONS|topoplan_dev|-W[a-z]", path)
            self.assertNotIn(str(options.source), text)
            self.assertNotIn(str(options.build), text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("cmake", "generator", "compiler", "prefix-path"):
        parser.add_argument("--" + option, required=True)
    for option in ("build", "source"):
        parser.add_argument("--" + option, type=lambda p: Path(p).resolve(), required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
