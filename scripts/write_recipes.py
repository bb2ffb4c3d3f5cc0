"""Writes the recipes in packaging/: for package managers, containers and CI, from pyproject.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "packaging"
TEMPLATES = Path(__file__).with_name("recipes")
CUDA = "12.4"
"""Oldest toolkit that compiles the programs for NVIDIA devices."""
FOSS = "2025b"
"""Toolchain of EasyBuild, and the versions of what it brings."""
MODULES = {
    "build": (("CMake", "4.0.3"), ("Ninja", "1.13.0")),
    "run": (("Python", "3.13.5"), ("hwloc", "2.12.1")),
}
SPACK = {"folder": "packaging/spack/spack_repo/banzuke_repo", "namespace": "banzuke_repo", "api": "v2.0"}
"""Spack's repository: since its API 2.0 the namespace is the folder's name under spack_repo/."""
BASE = "docker.io/library/debian:13-slim"
PACKAGES = ("ca-certificates", "g++", "git", "hwloc", "make", "python3-dev", "python3-venv")
"""Debian packages that a container needs."""
SOURCE, PREFIX = "/usr/src/banzuke", "/opt/banzuke"
STEPS = {
    "packages": [
        f"apt-get update && apt-get install -y --no-install-recommends {' '.join(PACKAGES)}",
        "rm -rf /var/lib/apt/lists/*",
    ],
    "install": [
        f"python3 -m venv {PREFIX}",
        f"{PREFIX}/bin/pip install --no-cache-dir cmake ninja mpich scipy-openblas32",
        f"PATH={PREFIX}/bin:$PATH {PREFIX}/bin/pip install --no-cache-dir {SOURCE}",
        f"{PREFIX}/bin/banzuke --version",
    ],
}
CI = {
    "measure": ["banzuke evaluate --minutes 5 --results results"],
    "after": [
        "banzuke export junit --results results --output reports",
        "banzuke export openmetrics --results results --output reports",
        "banzuke report last --results results --output reports",
    ],
    "kept": "reports",
}
"""What a pipeline runs, on a runner where Banzuke is installed and nothing else runs."""
FILES = {
    "spack/spack_repo/banzuke_repo/repo.yaml": "repo.yaml.j2",
    "spack/spack_repo/banzuke_repo/packages/banzuke/package.py": "package.py.j2",
    f"easybuild/Banzuke-{{version}}-foss-{FOSS}.eb": "easyconfig.eb.j2",
    "Containerfile": "Containerfile.j2",
    "../.dockerignore": "dockerignore.j2",
    "banzuke.def": "apptainer.def.j2",
    "github.yml": "github.yml.j2",
    "gitlab.yml": "gitlab.yml.j2",
}
"""Templates by the file that each becomes."""


def ignored() -> Sequence[str]:
    """Return what git ignores, in the patterns of a container's build: there, a name alone is one in the top folder."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    return [line.strip("/") if line.startswith("/") else f"**/{line.rstrip('/')}" for line in lines]


def facts() -> Mapping[str, Any]:
    """Return what the templates say, which stands in pyproject.toml or here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    version = about["version"]
    archive = f"{about['name']}-{version}.tar.gz"
    return {
        "written": "Written by: python -m scripts.write_recipes",
        "name": about["name"],
        "title": about["name"].capitalize(),
        "version": version,
        "description": f"{about['description']}.",
        "homepage": "https://pypi.org/project/banzuke/",
        "licence": about["license"],
        "python": about["requires-python"].removeprefix(">="),
        "cmake": project["tool"]["scikit-build"]["cmake"]["version"].removeprefix(">="),
        "cuda": CUDA,
        "foss": FOSS,
        "easybuild": MODULES,
        "spack": SPACK,
        "archive": archive,
        "base": BASE,
        "source": SOURCE,
        "prefix": PREFIX,
        "steps": STEPS,
        "ignored": ignored(),
        "ci": CI,
        "use": {
            "spack": f"In a checkout: spack repo add {SPACK['folder']}; spack dev-build banzuke@{version}",
            "easybuild": f"First: git archive --prefix={about['name']}-{version}/ -o {archive} HEAD",
            "container": "In a checkout: podman build -f packaging/Containerfile -t banzuke . (or docker build)",
            "apptainer": "In a checkout: apptainer build banzuke.sif packaging/banzuke.def",
            "github": "An example for .github/workflows/, with a runner of your own: hosted ones are shared.",
            "gitlab": "An example for .gitlab-ci.yml, with a runner of your own.",
        },
    }


def recipes() -> Mapping[str, str]:
    """Return the text of each file in packaging/."""
    said = facts()
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (no markup)
    )
    return {
        name.format(version=said["version"]): templates.get_template(template).render(said)
        for name, template in FILES.items()
    }


def write() -> None:
    """Write all files anew."""
    for name, text in recipes().items():
        file = FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
