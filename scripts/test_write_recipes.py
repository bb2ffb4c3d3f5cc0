"""packaging/ is what the templates and pyproject.toml say, and each recipe is one for its reader."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scripts.write_recipes import CI, FOLDER, PACKAGES, ROOT, SPACK, STEPS, facts, recipes


def test_the_files_are_what_the_command_writes() -> None:
    for name, text in recipes().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "write it again: python -m scripts.write_recipes"


def test_each_recipe_has_the_version_and_the_steps() -> None:
    made, said = recipes(), facts()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert said["version"] == version
    assert any(version in name for name in made)
    for name in ("Containerfile", "banzuke.def"):
        assert all(line in made[name] for lines in STEPS.values() for line in lines)
        assert all(package in made[name] for package in PACKAGES)
    for name in ("github.yml", "gitlab.yml"):
        assert all(line in made[name] for line in (*CI["measure"], *CI["after"]))


def test_the_spack_package_is_python_that_depends_on_what_the_build_needs() -> None:
    (package,) = (text for name, text in recipes().items() if name.endswith("package.py"))
    parsed = ast.parse(package)
    (written,) = (part for part in parsed.body if isinstance(part, ast.ClassDef))
    imported = {name.name for part in parsed.body if isinstance(part, ast.ImportFrom) for name in part.names}
    assert {ast.unparse(base) for base in written.bases} <= imported, "spack.package has no build systems since 1.0"
    named = [
        call.args[0].value
        for call in ast.walk(parsed)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "depends_on"
        and isinstance(call.args[0], ast.Constant)
    ]
    assert {str(name).partition("@")[0] for name in named} >= {"cxx", "cmake", "ninja", "python", "mpi", "hwloc"}


def test_the_folder_that_spack_adds_is_a_repository() -> None:
    """It is one of API 2, whose namespace is what follows spack_repo/ in its path."""
    folder = ROOT / SPACK["folder"]
    assert f"spack repo add {SPACK['folder']};" in str(facts()["use"]["spack"])
    _, top, *lines = (folder / "repo.yaml").read_text(encoding="utf-8").splitlines()
    assert top == "repo:"
    assert dict(line.strip().split(": ") for line in lines) == {"namespace": folder.name, "api": "v2.0"}
    assert folder.parent.name == "spack_repo"
    assert (folder / "packages" / facts()["name"] / "package.py").is_file()


def test_easybuild_itself_reads_the_easyconfig(tmp_path: Path) -> None:
    """All of its parameters are ones that EasyBuild or its PythonPackage have."""
    pytest.importorskip("easybuild", reason="not installed: easybuild")
    (file,) = FOLDER.glob("easybuild/*.eb")
    settings = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES": "1",
        "EASYBUILD_MODULES_TOOL": "EnvironmentModules",
        "EASYBUILD_MODULE_SYNTAX": "Tcl",
    }
    call = [sys.executable, "-c", PARSED, str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path, env=settings)
    assert done.returncode == 0, done.stderr
    fetched = ["pip_no_build_isolation=False", "use_pip_for_deps=True"]  # by pip: the toolchain's modules lack them
    assert done.stdout.split() == ["Banzuke", facts()["version"], *fetched], "further words are unknown parameters"


PARSED = """
import sys
from easybuild.tools.options import set_up_configuration
set_up_configuration(args=[], silent=True)
from easybuild.easyblocks.generic.pythonpackage import PythonPackage
from easybuild.framework.easyconfig.default import DEFAULT_CONFIG
from easybuild.framework.easyconfig.parser import EasyConfigParser
config = EasyConfigParser(sys.argv[1]).get_config_dict()
known = {*DEFAULT_CONFIG, *PythonPackage.extra_options(), "easyblock"}
defaults = {"pip_no_build_isolation": True, "use_pip_for_deps": False}
fetched = [f"{name}={config.get(name, default)}" for name, default in defaults.items()]
print(config["name"], config["version"], *fetched, *sorted(set(config) - known))
"""
