# Written by: python -m scripts.write_recipes
# In a checkout: spack repo add packaging/spack/spack_repo/banzuke_repo; spack dev-build banzuke@0.1.0
from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Banzuke(Package):
    """Evaluates a computer with one command: verified benchmarks, their limits, and the report.

    Its Python packages, several of which Spack does not have, are installed by pip into an environment of its own
    (PIP_FIND_LINKS and PIP_NO_INDEX name a folder of them where there is no network).
    """

    homepage = "https://pypi.org/project/banzuke/"
    has_code = True

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=True, description="Message passing: several ranks and hosts")
    variant("cuda", default=False, description="Programs for NVIDIA devices")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type=("build", "run"))
    depends_on("ninja", type=("build", "run"))
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("blas", type=("link", "run"))
    depends_on("hwloc", type="run")
    depends_on("mpi", when="+mpi", type=("build", "link", "run"))
    depends_on("cuda@12.4:", when="+cuda", type=("build", "link", "run"))

    def setup_build_environment(self, env):
        if "+cuda" not in self.spec:
            env.set("BANZUKE_CUDA", "OFF")

    def install(self, spec, prefix):
        spec["python"].command("-m", "venv", prefix)
        pip = Executable(join_path(prefix.bin, "pip"))
        pip("install", ".")

    def test_version(self):
        """print the version"""
        Executable(join_path(self.prefix.bin, "banzuke"))("--version")
