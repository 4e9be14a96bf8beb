# SPDX-License-Identifier: MIT
"""Tests that the documentation's examples run, that signatures agree with SciPy's, and that the type stubs agree with
the module."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import smoothimg
from smoothimg import _core

PACKAGE = Path(smoothimg.__file__).parent
MODULES = ["smoothimg"] + [
    f"smoothimg.{path.stem}" for path in sorted(PACKAGE.glob("_*.py")) if path.stem != "__init__"
]
USERS = Path(__file__).with_name("typed.py")
READMES = [Path(name).resolve() for name in sys.argv[1:]]
del sys.argv[1:]


class Texts(unittest.TestCase):
    def test_examples(self):
        results = [doctest.testmod(importlib.import_module(name)) for name in MODULES]
        self.assertEqual(sum(result.failed for result in results), 0)
        self.assertGreaterEqual(sum(result.attempted for result in results), 15)

    def test_examples_of_readmes(self):
        """Each block of Python in the READMEs runs without the other blocks."""
        self.assertTrue(READMES)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # the blocks write files
        for name in READMES:
            blocks = re.findall(
                r"^```python\n(.*?)^```", name.read_text(), re.DOTALL | re.MULTILINE
            )
            self.assertTrue(blocks, name)
            for block in blocks:
                wanted = re.findall(r"^import (\w+)", block, re.MULTILINE)
                if "torch" not in wanted and all(map(importlib.util.find_spec, wanted)):
                    exec(compile(block, name, "exec"), {})

    def test_example(self):
        """A README shows the output of the example one_import.py."""
        program = Path(__file__).parents[1] / "examples" / "one_import.py"
        ended = subprocess.run([sys.executable, program], text=True, capture_output=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(len(ended.stdout.splitlines()), 2)
        self.assertTrue(any(ended.stdout in name.read_text() for name in READMES), ended.stdout)

    def test_signature(self):
        from scipy import ndimage

        for name in (name for name in smoothimg.__all__ if hasattr(ndimage, name)):
            ours, theirs = (
                [
                    (one.name, one.default, one.kind)
                    for one in inspect.signature(getattr(module, name)).parameters.values()
                    if one.kind is not one.VAR_KEYWORD
                ]
                for module in (smoothimg, ndimage)
            )
            self.assertEqual(ours[: len(theirs)], theirs, name)
            self.assertLessEqual({"radius", "truncate"}, {one[0] for one in ours}, name)

    def test_public_names(self):
        for name in smoothimg.__all__:
            self.assertTrue(name == "MAX_RADIUS" or getattr(smoothimg, name).__doc__, name)
        self.assertRegex(smoothimg.__version__, r"^\d+\.\d+\.\d+$")
        public = {name for name in vars(smoothimg) if not name.startswith("_")} - {
            "dask",
            "ome_zarr",
        }
        self.assertEqual(public, set(smoothimg.__all__))

    def test_stub(self):
        """The type stub _core.pyi has the names of the module, and its functions have the parameters that nanobind
        writes into the docstrings."""
        stub = {
            node.name if hasattr(node, "name") else node.target.id: node
            for node in ast.parse((PACKAGE / "_core.pyi").read_text()).body
            if not isinstance(node, (ast.Expr, ast.ImportFrom, ast.Assign))
        }
        self.assertEqual(set(stub), {name for name in dir(_core) if not name.startswith("_")})
        for name, node in stub.items():
            found = getattr(_core, name)
            if isinstance(node, ast.ClassDef):
                node, found = node.body[0], found.__init__
            if isinstance(node, ast.FunctionDef):
                signature = re.match(r".*?\((.*)\) ->", found.__doc__, re.DOTALL)[1]
                names = [argument.arg for argument in node.args.args]
                self.assertEqual(re.findall(r"^self|\w+(?=: )", signature), names, name)

    def test_stub_of_overloads(self):
        """Overloads in type stubs have the parameters of the functions, in the same order."""
        stubs = [(PACKAGE / name).read_text() for name in ("_scipy.pyi", "_several.pyi")]
        for node in ast.parse("\n".join(stubs)).body:
            if isinstance(node, ast.FunctionDef):
                given = inspect.signature(getattr(smoothimg, node.name)).parameters
                names = [argument.arg for argument in node.args.args]
                self.assertEqual(names, list(given)[: len(names)])
                alone = {argument.arg for argument in node.args.kwonlyargs}
                self.assertEqual(alone, set(given) - set(names))
            elif isinstance(node, ast.Assign) and not node.targets[0].id.startswith("_"):
                same = [
                    inspect.signature(getattr(smoothimg, name.id)).parameters.values()
                    for name in (node.targets[0], node.value)
                ]
                self.assertEqual(*[[(one.name, one.default) for one in each] for each in same])

    def check_types(self, *command):
        path = {} if PACKAGE.parent.name == "site-packages" else {"MYPYPATH": str(PACKAGE.parent)}
        ended = subprocess.run(
            [sys.executable, "-m", *command],
            text=True,
            env={**os.environ, **path},
            capture_output=True,
            cwd=tempfile.gettempdir(),
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "there is no mypy")
    def test_types(self):
        # PyTorch is too large to be installed for this test alone.
        settings = tempfile.NamedTemporaryFile("w", suffix=".ini")
        self.addCleanup(settings.close)
        settings.write("[mypy]\n[mypy-torch.*]\nignore_missing_imports = True\n")
        settings.flush()
        self.check_types("mypy", "--config-file", settings.name, "--strict", "-p", "smoothimg")
        self.check_types("mypy", "--strict", str(USERS))

    @unittest.skipUnless(importlib.util.find_spec("pyright"), "there is no pyright")
    def test_types_by_pyright(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        left_out = ["*.so*", "*.a*"] + ["torch.py"] * (not importlib.util.find_spec("torch"))
        shutil.copytree(PACKAGE, folder / "smoothimg", ignore=shutil.ignore_patterns(*left_out))
        shutil.copy(USERS, folder)
        settings = {"typeCheckingMode": "strict", "reportMissingModuleSource": False}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings))
        self.check_types("pyright", "--project", str(folder), "--pythonpath", sys.executable)


if __name__ == "__main__":
    unittest.main()
