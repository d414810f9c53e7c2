# /// script
# requires-python = ">=3.11"
# dependencies = ["ziglang==0.15.2"]
# ///
"""
Compiles assembly/deflate.c with the sources of libdeflate into src/kernels/wasm/deflate.wasm.ts, and copies its licence.

The sources come from a crate, checked by its hash, the compiler from PyPI; both go to a temporary folder, the compiler
only where `import ziglang` does not find it. The same versions give the same bytes on every machine.

`--check` writes nothing and ends with 1 where the committed files are not what the sources give. Where a registry
cannot be reached it says so and ends with 0.
"""

import sys
from pathlib import Path

from c_modules import Library, main, replaced

EDITS = [
    # Words are as long as addresses there; WebAssembly has 32-bit addresses and registers of 64.
    ("common_defs.h", "typedef size_t machine_word_t", "typedef u64 machine_word_t"),
    # Levels 10 to 12, which are slow and take much memory.
    ("lib/deflate_compress.c", "#define SUPPORT_NEAR_OPTIMAL_PARSING\t1", "#define SUPPORT_NEAR_OPTIMAL_PARSING 0"),
]


def edit(folder: Path) -> None:
    for name, old, new in EDITS:
        path = folder / name
        path.write_text(replaced(path.read_text(), old, new, 1, name))


LIBDEFLATE = Library(
    name="deflate",
    version="libdeflate 1.25",
    crate="libdeflate-sys-1.25.2",
    sha256="72753e0008ea87963d2f0770042d0df7abe51fafbb8dcaf618ac440f2f1fec0a",
    folder="libdeflate",
    licence="COPYING",
    licence_to="licenses/libdeflate.txt",
    sources=r"((?:lib/)?\w+\.[ch])",
    edit=edit,
)

if __name__ == "__main__":
    sys.exit(main(LIBDEFLATE))
