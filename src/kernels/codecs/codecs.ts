/**
 * The byte codecs by their names on disk: HDF5's filters by number, Zarr's codecs by name. HDF5 and Zarr share this
 * table. To add a codec, add a line here and a file in this directory. Checksums are defined here, and rare decoders
 * are loaded when the first chunk needs them.
 */

import { InvalidDataError } from "../../model/errors.js";
import { computeAdler32, computeCrc32, computeFletcher32, crc32c } from "../checksums/checksums.js";
import { createCodecFactory, createOptionError, limitOutputSize, type MakeCodec } from "./bounds/byte-codec.js";
import { inflate } from "./deflate/inflate.js";
import { lzf } from "./lzf.js";
import { shuffle, shuffleFilter, shuffleOfItems } from "./shuffle/shuffle-codecs.js";
import { lzma } from "./xz/lzma.js";
import { decodeZstd } from "./zstd/zstd.js";

const zlib = createCodecFactory((bytes, size, target) => inflate(bytes, "zlib", limitOutputSize(bytes, size), target));
const gzip = createCodecFactory((bytes, size, target) => inflate(bytes, "gzip", limitOutputSize(bytes, size), target));
const zstd = createCodecFactory(decodeZstd);
const blosc = createCodecFactory(async (bytes, size, target) =>
  (await import("./blosc/blosc.js")).decodeBlosc(bytes, size, target),
);
const blosc2 = createCodecFactory(async (bytes, size) =>
  (await import("./blosc/blosc2-frame.js")).decodeBlosc2Frame(bytes, size),
);
const bz2 = createCodecFactory(async (bytes, size) => (await import("./bz2/bz2.js")).decodeBz2(bytes, size));
const lz4Blocks = createCodecFactory(async (bytes, size) =>
  (await import("./lz4/sized-blocks.js")).decodeLz4Blocks(bytes, size),
);
const lz4 = createCodecFactory(async (bytes, size) =>
  (await import("./lz4/sized-blocks.js")).decodeSizedLz4(bytes, size),
);
const bitshuffle: MakeCodec = ({ values, itemBytes }) => ({
  encodedSize: () => null,
  decode: async (bytes, size) =>
    (await import("./shuffle/bitshuffle-frame.js")).decodeBitshuffle(bytes, values, size, itemBytes ?? 1),
});
const nBit: MakeCodec = ({ values }) => ({
  encodedSize: () => null,
  decode: async (bytes, size, target) => (await import("./packed/n-bit.js")).decodeNBit(bytes, values, size, target),
});
const scaleOffset: MakeCodec = ({ values }) => ({
  encodedSize: () => null,
  decode: async (bytes, size, target) =>
    (await import("./packed/scale-offset.js")).decodeScaleOffset(bytes, values, size, target),
});

/** Returns the bytes unchanged, since rounding cannot be undone. */
const bitRound: MakeCodec = () => ({ encodedSize: (size) => size, decode: (bytes) => bytes });

/** Bytes of a checksum stored with the data: u32, little-endian. */
const CHECKSUM_BYTES = 4;

/**
 * Creates the codec of a checksum, as numcodecs stores it.
 * @param usual default position of the checksum, unless numcodecs' option `location` specifies another.
 */
function checksum(name: string, compute: (bytes: Uint8Array) => number, usual: "start" | "end"): MakeCodec {
  return ({ options }) => {
    const location = options.location ?? usual;
    if (location !== "start" && location !== "end") throw createOptionError(location, "location", '"start" or "end"');
    return {
      encodedSize: (decoded) => decoded + CHECKSUM_BYTES,
      decode(bytes) {
        if (bytes.length < CHECKSUM_BYTES) throw new InvalidDataError(`${bytes.length} bytes hold no ${name}`);
        const end = bytes.length - CHECKSUM_BYTES;
        const data = location === "start" ? bytes.subarray(CHECKSUM_BYTES) : bytes.subarray(0, end);
        const stored = wordAt(bytes, location === "start" ? 0 : end);
        const found = compute(data);
        if (found !== stored) {
          throw new InvalidDataError(`${name} is ${found.toString(16)}, ${stored.toString(16)} is stored`);
        }
        return data;
      },
    };
  };
}

/** HDF5's filter 3. */
const fletcher32Filter: MakeCodec = () => ({
  encodedSize: (decoded) => decoded + CHECKSUM_BYTES,
  decode(bytes) {
    if (bytes.length < CHECKSUM_BYTES) {
      throw new InvalidDataError(`chunk of ${bytes.length} bytes has no room for its checksum`);
    }
    const data = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
    const stored = wordAt(bytes, data.length);
    const sum = computeFletcher32(data);
    // HDF5 before 1.6.3 stored both halves with their bytes swapped.
    const swapped = (((sum & 0xff00ff) << 8) | ((sum >>> 8) & 0xff00ff)) >>> 0;
    if (stored !== sum && stored !== swapped) {
      throw new InvalidDataError(`chunk has fletcher32 checksum ${stored}, its bytes have ${sum}`);
    }
    return data;
  },
});

function wordAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}

/** numcodecs writes CRC-32 and Adler-32 before the data, CRC-32C and Fletcher-32 after the data. */
const NUMCODECS: readonly (readonly [string, MakeCodec])[] = [
  ["zlib", zlib],
  ["gzip", gzip],
  ["bz2", bz2],
  ["lzma", lzma],
  ["lz4", lz4],
  ["zstd", zstd],
  ["blosc", blosc],
  ["shuffle", shuffle],
  ["bitround", bitRound],
  ["crc32", checksum("CRC-32", computeCrc32, "start")],
  ["adler32", checksum("Adler-32", computeAdler32, "start")],
  ["crc32c", checksum("CRC-32C", crc32c, "end")],
  ["fletcher32", checksum("Fletcher-32", computeFletcher32, "end")],
];

export const CODECS: ReadonlyMap<number | string, MakeCodec> = new Map<number | string, MakeCodec>([
  // HDF5's own filters, then filters registered with The HDF Group.
  [1, zlib],
  [2, shuffleFilter],
  [3, fletcher32Filter],
  [5, nBit],
  [6, scaleOffset],
  [307, bz2],
  [32000, lzf],
  [32001, blosc],
  [32004, lz4Blocks],
  [32008, bitshuffle],
  [32015, zstd],
  [32026, blosc2],
  // Zarr v2's compressors and filters and v3's codecs, then the numcodecs codecs under their v3 names.
  ...NUMCODECS,
  ...NUMCODECS.map(([name, make]) => [`numcodecs.${name}`, make] as const),
  ["numcodecs.shuffle", shuffleOfItems],
]);
