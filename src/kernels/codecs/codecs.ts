/**
 * The codecs from bytes to bytes, indexed by their names on disk: HDF5's filters by number, and Zarr's and numcodecs'
 * codecs by name. HDF5 and Zarr share this table, and `registerCodec` (`api/register-codec.ts`) adds to it. Rare codecs
 * are loaded when the first array needs them.
 */

import { computeAdler32, computeCrc32, computeFletcher32, crc32c } from "../checksums/checksums.js";
import { createCodecFactory, limitOutputSize, type MakeCodec } from "./bounds/byte-codec.js";
import { createChecksumCodec, fletcher32Filter } from "./checksum-codecs.js";
import { inflate } from "./deflate/inflate.js";
import { lzf } from "./lzf.js";
import { shuffle, shuffleFilter, shuffleOfItems } from "./shuffle/shuffle-codecs.js";
import { decodeZstd } from "./zstd/zstd.js";

/** Loads a codec. */
export type LoadCodec = () => MakeCodec | Promise<MakeCodec>;

const zlib = createCodecFactory((bytes, size, target) => inflate(bytes, "zlib", limitOutputSize(bytes, size), target));
const gzip = createCodecFactory((bytes, size, target) => inflate(bytes, "gzip", limitOutputSize(bytes, size), target));
const zstd = createCodecFactory(decodeZstd);
/** Returns the bytes unchanged, since rounding cannot be undone. */
const bitRound: MakeCodec = () => ({ encodedSize: (size) => size, decode: (bytes) => bytes });

const bz2 = async () => (await import("./bz2.js")).bz2;
const blosc = async () => (await import("./blosc/blosc.js")).blosc;

/** numcodecs writes CRC-32 and Adler-32 before the data, CRC-32C and Fletcher-32 after the data. */
const NUMCODECS: readonly (readonly [string, LoadCodec])[] = [
  ["zlib", () => zlib],
  ["gzip", () => gzip],
  ["bz2", bz2],
  ["lzma", async () => (await import("./xz.js")).lzma],
  ["lz4", async () => (await import("./lz4/sized-blocks.js")).lz4],
  ["zstd", () => zstd],
  ["blosc", blosc],
  ["shuffle", () => shuffle],
  ["bitround", () => bitRound],
  ["crc32", () => createChecksumCodec("CRC-32", computeCrc32, "start")],
  ["adler32", () => createChecksumCodec("Adler-32", computeAdler32, "start")],
  ["crc32c", () => createChecksumCodec("CRC-32C", crc32c, "end")],
  ["fletcher32", () => createChecksumCodec("Fletcher-32", computeFletcher32, "end")],
];

const table = new Map<number | string, LoadCodec>([
  // HDF5's own filters, then filters registered with The HDF Group.
  [1, () => zlib],
  [2, () => shuffleFilter],
  [3, () => fletcher32Filter],
  [5, async () => (await import("./packed/n-bit.js")).nBit],
  [6, async () => (await import("./packed/scale-offset.js")).scaleOffset],
  [307, bz2],
  [32000, () => lzf],
  [32001, blosc],
  [32004, async () => (await import("./lz4/sized-blocks.js")).lz4Blocks],
  [32008, async () => (await import("./shuffle/bitshuffle-frame.js")).bitshuffle],
  [32015, () => zstd],
  [32026, async () => (await import("./blosc/blosc2.js")).blosc2],
  // Zarr v2's compressors and filters and v3's codecs, then the numcodecs codecs under their v3 names.
  ...NUMCODECS,
  ...NUMCODECS.map(([name, load]) => [`numcodecs.${name}`, load] as const),
  ["numcodecs.shuffle", () => shuffleOfItems],
]);

const BUILT_IN: ReadonlySet<number | string> = new Set(table.keys());

/** All codecs: those of this file, and those that a program has added. */
export const CODECS: ReadonlyMap<number | string, LoadCodec> = table;

/** Returns whether workers also have the codec. Workers lack the codecs that a program adds. */
export function isBuiltInCodec(name: number | string): boolean {
  return BUILT_IN.has(name);
}

/**
 * Adds a codec under a name that is not in the table. The codec is loaded once. If loading fails, it is loaded again
 * for the next chunk.
 */
export function addCodec(name: number | string, load: LoadCodec): void {
  table.set(name, async () => {
    const make = await load();
    table.set(name, () => make);
    return make;
  });
}
