# /// script
# requires-python = ">=3.11"
# dependencies = ["ziglang==0.15.2"]
# ///
"""
Compiles assembly/zstd.c with the sources of zstd into src/kernels/wasm/zstd.wasm.ts, and copies zstd's licence.

The sources come from a crate, checked by its hash, the compiler from PyPI; both go to a temporary folder, the compiler
only where `import ziglang` does not find it. The same versions give the same bytes on every machine.

`--check` writes nothing and ends with 1 where the committed files are not what the sources give. Where a registry
cannot be reached it says so and ends with 0.
"""

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
from pathlib import Path

ZIG = "0.15.2"
CRATE = "zstd-sys-2.0.16+zstd.1.5.7"
CRATE_URL = f"https://static.crates.io/crates/zstd-sys/{CRATE}.crate"
CRATE_SHA256 = "91e19ebc2adc8f83e43039e79776e3fda8ca919132d68a1fed6a5faca2683748"

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "assembly/zstd.c"
MODULE = ROOT / "src/kernels/wasm/zstd.wasm.ts"
LICENCE = ROOT / "licenses/zstd.txt"

FLAGS = [
    *("-target", "wasm32-freestanding", "-mcpu=generic+simd128+bulk_memory+sign_ext"),
    *("-O3", "-DNDEBUG", "-w", "-fno-sanitize=all", "-ffreestanding", "-nostdlib"),
    "-Wl,--no-entry,--strip-all,--gc-sections,-z,stack-size=131072",
]

# zstd takes the size of an address for that of a register, and would read streams by 32 bits; WebAssembly has registers
# of 64. The number says how often the text must be there.
EDITS = [
    ("common/bits.h", "defined(__LP64__)", "1", 1),
    ("common/bitstream.h", "typedef size_t BitContainerType", "typedef U64 BitContainerType", 1),
    ("common/bitstream.h", "MEM_STATIC size_t BIT_readBitsFast", "MEM_STATIC BitContainerType BIT_readBitsFast", 1),
    ("common/bitstream.h", "LEST(", "LE64(", 5),
    ("common/bitstream.h", "MEM_32bits()", "0", 1),
    ("common/fse.h", "sizeof(size_t) /* bitContainer */", "8 /* bitContainer */", 1),
    ("decompress/huf_decompress.c", "static size_t HUF_initFastDStream", "static U64 HUF_initFastDStream", 1),
    ("decompress/huf_decompress.c", "size_t const value = MEM_readLEST", "U64 const value = MEM_readLE64", 1),
    ("decompress/huf_decompress.c", "LEST(", "LE64(", 1),
    ("decompress/huf_decompress.c", "MEM_32bits()", "0", 4),
    ("decompress/huf_decompress.c", "MEM_64bits()", "1", 5),
    ("decompress/huf_decompress.c", "sizeof(size_t)", "8", 6),
]
# In this function alone: other tests of the kind guard 32-bit addresses.
DECODE_SEQUENCE = ("decompress/zstd_decompress_block.c", "\nZSTD_decodeSequence(", "\n}\n")

# All that xxhash.h wants of a C library: what the compiler makes instructions of.
STRING_H = "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n"


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


def unpack(crate: bytes, folder: Path) -> bytes:
    """Writes the library's sources to `folder`; its licence."""
    licence = b""
    with tarfile.open(fileobj=io.BytesIO(crate), mode="r:gz") as archive:
        for member in archive:
            inner = member.name.removeprefix(f"{CRATE}/zstd/")
            file = archive.extractfile(member)
            if file is None:
                continue
            if inner == "LICENSE":
                licence = file.read()
            elif re.fullmatch(r"lib/((common|compress|decompress)/)?\w+\.[ch]", inner):
                path = folder / inner.removeprefix("lib/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.read())
    return licence


def replaced(text: str, old: str, new: str, count: int, where: str) -> str:
    if text.count(old) != count:
        sys.exit(f"{where} has {text.count(old)} times {old!r}, expected {count}")
    return text.replace(old, new)


def edit(folder: Path) -> None:
    for name, old, new, count in EDITS:
        path = folder / name
        path.write_text(replaced(path.read_text(), old, new, count, name))
    name, start, end = DECODE_SEQUENCE
    path = folder / name
    text = path.read_text()
    first = text.index(start)
    last = text.index(end, first)
    body = replaced(text[first:last], "MEM_32bits()", "0", 5, name)
    body = replaced(body, "MEM_64bits()", "1", 1, name)
    path.write_text(text[:first] + body + text[last:])
    (folder / "string.h").write_text(STRING_H)


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


def build(folder: Path) -> dict[Path, bytes]:
    """The contents of the committed files."""
    sources = folder / "zstd"
    licence = unpack(download(CRATE_URL, CRATE_SHA256), sources)
    edit(sources)
    output = folder / "zstd.wasm"
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, f"-I{sources}", str(SOURCE), "-o", str(output)]
    subprocess.run(command, env=compiler(folder), check=True)
    text = base64.b64encode(output.read_bytes()).decode()
    header = "// Made of zstd 1.5.7 (licenses/zstd.txt) and assembly/zstd.c by scripts/build-zstd.py.\n"
    return {MODULE: f'{header}export const WASM =\n  "{text}";\n'.encode(), LICENCE: licence}


def main() -> int:
    check = "--check" in sys.argv[1:]
    try:
        with tempfile.TemporaryDirectory() as folder:
            files = build(Path(folder))
    except Unreachable as error:
        print(f"not {'checked' if check else 'built'}: {error}")
        return 0 if check else 1
    different = [path for path, data in files.items() if not path.exists() or path.read_bytes() != data]
    for path in different:
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} is not what its sources give: run python scripts/build-zstd.py")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(files[path])
            print(f"{name}: {len(files[path]) / 1024:.1f} KiB")
    if check and not different:
        print("the committed module and licence are what their sources give")
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
