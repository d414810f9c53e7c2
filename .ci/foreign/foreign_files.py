"""Takes what packages of other projects carry, and extracts its HDF5, Zarr, Parquet and Arrow files:
python .ci/foreign/foreign_files.py FOLDER

Only the clients of the registries are used. A download that fails ends it with a message. Crates of Rust carry no files of
data (zarrs, parquet, arrow and hdf5 leave theirs out), neither do the sdists of zarr 3, h5json, netCDF4 and the tarballs of
zarrita and anndata.js.
"""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

WHEELS = ["h5py==3.14.0", "pyarrow==21.0.0", "tables==3.10.2"]
SDISTS = [
    "anndata==0.12.2",
    "awkward==2.8.5",
    "pyfive==1.3.0",
    "pymatreader==1.3.2",
    "scanpy==1.11.4",
    "zarr==2.18.7",
]
# pip asks an sdist for its metadata; an environment made once is faster than one for each.
BACKENDS = ["hatchling==1.27.0", "hatch-vcs==0.5.0", "hatch-fancy-pypi-readme==25.1.0", "setuptools==80.9.0", "setuptools-scm==8.3.1", "flit-core==3.12.0"]
NPM = ["h5wasm@0.10.3", "hdf5@0.3.5", "jsfive@0.4.2"]
GO = ["github.com/parquet-go/parquet-go@v0.25.1"]
DEBIAN = "hdf5=1.10.8+repack1-1"
DEB_SRC = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n"

WANTED = re.compile(
    r"\.(h5|hdf5|he5|nc|nc4|mat|h5ad|h5mu|loom|parquet|arrow|arrows|feather|stream|zarr\.zip)$"
    r"|\.zarr/|/fixture/.|(^|/)(zarr\.json|\.zarray|\.zgroup|\.zattrs)$",
    re.IGNORECASE,
)


def run(what: str, *command: str, cwd: Path, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"cannot download {what}: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def python_packages(folder: Path) -> None:
    venv.create(folder / "pip", with_pip=True)
    pip = str(folder / "pip/bin/pip")
    run("build backends", pip, "install", "--quiet", *BACKENDS, cwd=folder)
    common = [pip, "download", "--quiet", "--no-deps", "--dest", "."]
    wheels = ["--only-binary=:all:", "--python-version=3.12", "--platform=manylinux_2_28_x86_64", "--platform=manylinux2014_x86_64"]
    run("wheels", *common, *wheels, *WHEELS, cwd=folder)
    for one in SDISTS:
        run(one, *common, "--no-binary=:all:", "--no-build-isolation", one, cwd=folder)


def debian_source(folder: Path) -> None:
    # A list of its own: the machine's need not have sources.
    (folder / "sources.list").write_text(DEB_SRC)
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    apt = ["apt-get", "-qq"]
    for option in [
        f"Dir::Etc::SourceList={folder}/sources.list",
        "Dir::Etc::SourceParts=/dev/null",
        f"Dir::State::Lists={folder}/lists",
        f"Dir::Cache={folder}/cache",
        "APT::Sandbox::User=root",
    ]:
        apt += ["-o", option]
    run("the list of Debian's sources", *apt, "update", cwd=folder)
    run(DEBIAN, *apt, "source", "--download-only", DEBIAN, cwd=folder)


def go_modules(folder: Path) -> None:
    cache = {"GOMODCACHE": str(folder / "go"), "GOFLAGS": "-modcacherw"}
    for one in GO:
        run(one, "go", "mod", "download", one, cwd=folder, env=cache)


def npm_packages(folder: Path) -> None:
    for one in NPM:
        run(one, "npm", "pack", "--silent", one, cwd=folder)


def extract(archive: Path, into: Path) -> int:
    """How many files there are. Nothing but files is made, and nothing outside."""
    found = 0
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            for name in filter(WANTED.search, opened.namelist()):
                found += put(into, name, opened.read(name))
    else:
        with tarfile.open(archive) as opened:
            for member in opened:
                content = opened.extractfile(member) if member.isfile() and WANTED.search(member.name) else None
                found += put(into, member.name, content.read()) if content else 0
    return found


def put(into: Path, name: str, content: bytes) -> int:
    # The first folder has the version in its name, which another says already.
    path = (into / name).resolve()
    if name.endswith("/") or not path.is_relative_to(into.resolve()):
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return 1


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    downloads = folder / "downloads"
    downloads.mkdir(parents=True)
    for step in (python_packages, npm_packages, go_modules, debian_source):
        step(downloads)
    archives = [*downloads.glob("*.whl"), *downloads.glob("*.tgz"), *downloads.glob("*.tar.gz"), *downloads.glob("go/cache/download/**/*.zip")]
    for archive in sorted(archives):
        # npm has a package of the same name.
        name = "libhdf5" if ".orig." in archive.name else "parquet-go" if "parquet-go" in str(archive) else re.split(r"[-_]\d", archive.name)[0]
        print(f"{name}: {extract(archive, folder / 'files' / name)} files")


main()
