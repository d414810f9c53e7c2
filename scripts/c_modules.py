"""Compiles C of assembly/ with the sources of a library into a module of src/kernels/wasm/: what its scripts share."""

import base64
import hashlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ZIG = "0.15.2"

ROOT = Path(__file__).resolve().parent.parent

FLAGS = [
    *("-target", "wasm32-freestanding", "-mcpu=generic+simd128+bulk_memory+sign_ext"),
    *("-O3", "-DNDEBUG", "-w", "-fno-sanitize=all", "-ffreestanding", "-nostdlib"),
    "-Wl,--no-entry,--strip-all,--gc-sections,-z,stack-size=131072",
]


@dataclass(frozen=True)
class Library:
    """A library whose sources come from a crate, and the module that is made of them and assembly/<name>.c."""

    name: str
    #: What the module says it is made of.
    version: str
    #: <crate>-<version>.
    crate: str
    sha256: str
    #: The folder of the crate that the library is in, and its licence there.
    folder: str
    licence: str
    licence_to: str
    #: Which of its files are wanted, and where they go: what the first group of the pattern matches.
    sources: str
    #: Changes the sources in the folder that they were written to.
    edit: Callable[[Path], None]


class Unreachable(Exception):
    pass


def download(url: str, sha256: str) -> bytes:
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=30) as response:
                data = response.read()
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            if attempt == 2:
                raise Unreachable(f"{url}: {error}") from error
            time.sleep(2)
            continue
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            sys.exit(f"{url} has the SHA-256 {found}, expected {sha256}")
        return data
    raise AssertionError


def unpack(library: Library, folder: Path) -> bytes:
    """Writes the library's sources to `folder`; its licence."""
    name, _ = re.split(r"-(?=\d)", library.crate, maxsplit=1)
    crate = download(f"https://static.crates.io/crates/{name}/{library.crate}.crate", library.sha256)
    licence = b""
    with tarfile.open(fileobj=io.BytesIO(crate), mode="r:gz") as archive:
        for member in archive:
            inner = member.name.removeprefix(f"{library.crate}/{library.folder}/")
            file = archive.extractfile(member)
            if file is None:
                continue
            if inner == library.licence:
                licence = file.read()
            elif found := re.fullmatch(library.sources, inner):
                path = folder / found[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.read())
    return licence


def replaced(text: str, old: str, new: str, count: int, where: str) -> str:
    if text.count(old) != count:
        sys.exit(f"{where} has {text.count(old)} times {old!r}, expected {count}")
    return text.replace(old, new)


def compiler(folder: Path) -> dict[str, str]:
    """The environment in which `python -m ziglang` is the compiler."""
    environment = os.environ | {
        "ZIG_GLOBAL_CACHE_DIR": str(folder / "cache"),
        "ZIG_LOCAL_CACHE_DIR": str(folder / "cache"),
    }
    if importlib.util.find_spec("ziglang") is None:
        packages = str(folder / "packages")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
        result = subprocess.run(
            [*command, "--disable-pip-version-check", "--target", packages, f"ziglang=={ZIG}"],
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            if re.search(r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError", result.stderr):
                raise Unreachable(f"PyPI: {result.stderr.strip().splitlines()[0]}")
            sys.exit(f"pip could not install ziglang {ZIG}:\n{result.stderr}")
        environment["PYTHONPATH"] = packages
    version = subprocess.run(
        [sys.executable, "-m", "ziglang", "version"], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()
    if version != ZIG:
        sys.exit(f"ziglang is {version}, expected {ZIG}")
    return environment


def build(library: Library, folder: Path) -> dict[Path, bytes]:
    """The contents of the committed files."""
    sources = folder / "sources"
    licence = unpack(library, sources)
    library.edit(sources)
    output = folder / "module.wasm"
    source = ROOT / f"assembly/{library.name}.c"
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, f"-I{sources}", str(source), "-o", str(output)]
    subprocess.run(command, env=compiler(folder), check=True)
    text = base64.b64encode(output.read_bytes()).decode()
    made = f"{library.version} ({library.licence_to}) and assembly/{library.name}.c by scripts/build-{library.name}.py"
    module = f'// Made of {made}.\nexport const WASM =\n  "{text}";\n'
    return {
        ROOT / f"src/kernels/wasm/{library.name}.wasm.ts": module.encode(),
        ROOT / library.licence_to: licence,
    }


def main(library: Library) -> int:
    check = "--check" in sys.argv[1:]
    try:
        with tempfile.TemporaryDirectory() as folder:
            files = build(library, Path(folder))
    except Unreachable as error:
        print(f"not {'checked' if check else 'built'}: {error}")
        return 0 if check else 1
    different = [path for path, data in files.items() if not path.exists() or path.read_bytes() != data]
    for path in different:
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} is not what its sources give: run python scripts/build-{library.name}.py")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(files[path])
            print(f"{name}: {len(files[path]) / 1024:.1f} KiB")
    if check and not different:
        print("the committed module and licence are what their sources give")
    return 1 if check and different else 0
