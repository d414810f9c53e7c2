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

import re
import sys
from pathlib import Path

from c_modules import Library, main, replaced

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
# Match finders that look into dictionaries, which are never given: three variants of each.
WITHOUT_DICTIONARIES = ("compress/zstd_compress.c", "\nZSTD_BlockCompressor_f ZSTD_selectBlockCompressor(", "\n}\n")
# In this function alone: other tests of the kind guard 32-bit addresses.
DECODE_SEQUENCE = ("decompress/zstd_decompress_block.c", "\nZSTD_decodeSequence(", "\n}\n")

# All that xxhash.h wants of a C library: what the compiler makes instructions of.
STRING_H = "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n"


def edit_function(folder: Path, function: tuple[str, str, str], edits: list[tuple[str, str, int]]) -> None:
    name, start, end = function
    path = folder / name
    text = path.read_text()
    first = text.index(start)
    last = text.index(end, first)
    body = text[first:last]
    for pattern, new, count in edits:
        body, found = re.subn(pattern, new, body)
        if found != count:
            sys.exit(f"{name} has {found} times {pattern!r} in {start.strip()!r}, expected {count}")
    path.write_text(text[:first] + body + text[last:])


def edit(folder: Path) -> None:
    for name, old, new, count in EDITS:
        path = folder / name
        path.write_text(replaced(path.read_text(), old, new, count, name))
    edit_function(folder, DECODE_SEQUENCE, [(r"MEM_32bits\(\)", "0", 5), (r"MEM_64bits\(\)", "1", 1)])
    dictionary = r"ZSTD_(compressBlock|COMPRESSBLOCK)_\w+_(EXTDICT|extDict|DICTMATCHSTATE|dictMatchState|DEDICATEDDICTSEARCH)(_ROW)?"
    edit_function(folder, WITHOUT_DICTIONARIES, [(dictionary, "NULL", 32)])
    (folder / "string.h").write_text(STRING_H)


ZSTD = Library(
    name="zstd",
    version="zstd 1.5.7",
    crate="zstd-sys-2.0.16+zstd.1.5.7",
    sha256="91e19ebc2adc8f83e43039e79776e3fda8ca919132d68a1fed6a5faca2683748",
    folder="zstd",
    licence="LICENSE",
    licence_to="licenses/zstd.txt",
    sources=r"lib/((?:(?:common|compress|decompress)/)?\w+\.[ch])",
    edit=edit,
)

if __name__ == "__main__":
    sys.exit(main(ZSTD))
