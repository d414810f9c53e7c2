import type { CodecModule } from "./codec.js";

type Load = () => Promise<CodecModule>;

const blosc: Load = async () => (await import("./blosc.js")).blosc;
const zstd: Load = async () => (await import("./zstd.js")).zstd;
const lz4: Load = async () => (await import("./lz4.js")).lz4;
const gzip: Load = async () => (await import("./deflate.js")).gzip;
const zlib: Load = async () => (await import("./deflate.js")).zlib;
const bz2: Load = async () => (await import("./bz2.js")).bz2;
const lzma: Load = async () => (await import("./lzma.js")).lzma;
const crc32: Load = async () => (await import("./checksum.js")).crc32Codec;
const crc32c: Load = async () => (await import("./checksum.js")).crc32cCodec;
const adler32: Load = async () => (await import("./checksum.js")).adler32Codec;
const fletcher32: Load = async () => (await import("./checksum.js")).fletcher32Codec;
const delta: Load = async () => (await import("./delta.js")).delta;
const fixedScaleOffset: Load = async () => (await import("./fixed-scale-offset.js")).fixedScaleOffset;
const shuffle: Load = async () => (await import("./shuffle.js")).shuffle;
const shuffleOfItems: Load = async () => (await import("./shuffle.js")).shuffleOfItems;
const packBits: Load = async () => (await import("./packbits.js")).packBits;
const asType: Load = async () => (await import("./astype.js")).asType;
const bitRound: Load = async () => (await import("./bitround.js")).bitRound;
const quantize: Load = async () => (await import("./astype.js")).quantize;

/**
 * The codecs by their names on disk: those of v2 (numcodecs' ids), of v3, and v3's names for those of numcodecs. A new
 * codec is a file and a line.
 */
export const CODECS: ReadonlyMap<string, Load> = new Map([
  ["blosc", blosc],
  ["zstd", zstd],
  ["lz4", lz4],
  ["gzip", gzip],
  ["zlib", zlib],
  ["bz2", bz2],
  ["lzma", lzma],
  ["crc32", crc32],
  ["crc32c", crc32c],
  ["adler32", adler32],
  ["fletcher32", fletcher32],
  ["delta", delta],
  ["fixedscaleoffset", fixedScaleOffset],
  ["shuffle", shuffle],
  ["packbits", packBits],
  ["astype", asType],
  ["bitround", bitRound],
  ["quantize", quantize],
  ["numcodecs.blosc", blosc],
  ["numcodecs.zstd", zstd],
  ["numcodecs.lz4", lz4],
  ["numcodecs.gzip", gzip],
  ["numcodecs.zlib", zlib],
  ["numcodecs.bz2", bz2],
  ["numcodecs.lzma", lzma],
  ["numcodecs.crc32", crc32],
  ["numcodecs.crc32c", crc32c],
  ["numcodecs.adler32", adler32],
  ["numcodecs.fletcher32", fletcher32],
  ["numcodecs.delta", delta],
  ["numcodecs.fixedscaleoffset", fixedScaleOffset],
  ["numcodecs.shuffle", shuffleOfItems],
  ["numcodecs.packbits", packBits],
  ["numcodecs.astype", asType],
  ["numcodecs.bitround", bitRound],
  ["numcodecs.quantize", quantize],
  ["vlen-utf8", async () => (await import("./vlen.js")).vlen],
  ["vlen-bytes", async () => (await import("./vlen.js")).vlen],
  ["json2", async () => (await import("./json2.js")).json2],
  ["categorize", async () => (await import("./categorize.js")).categorize],
]);
