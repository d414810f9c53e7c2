/** Undoes the filters that a chunk went through. A new filter is a line in `FILTERS`. */

import { InvalidDataError, UnsupportedError } from "../../errors.js";
import { decodeBlosc } from "../../kernels/blosc.js";
import { decodeBz2 } from "../../kernels/bz2.js";
import { inflate, type OutputSize } from "../../kernels/inflate.js";
import { decodeLzf } from "../../kernels/lzf.js";
import { unshuffle } from "../../kernels/unshuffle.js";
import { decodeZstd } from "../../kernels/zstd.js";
import { MAX_CHUNK_BYTES } from "../container.js";
import { decodeBitshuffle } from "./bitshuffle-frame.js";
import { decodeBlosc2Frame } from "./blosc2-frame.js";
import { FILTER, type Filter } from "./filter-pipeline.js";
import { checkFletcher32, FLETCHER32_BYTES } from "./fletcher32.js";
import { decodeLz4Frame } from "./lz4-frame.js";

/** What was written of what: `adds` bytes more, or null where that depends on the values. */
interface FilterModule {
  readonly adds: number | null;
  /**
   * @param size bytes that must come out.
   * @param values of the filter.
   */
  undo(
    bytes: Uint8Array,
    size: OutputSize,
    values: readonly number[],
    elementSize: number,
  ): Uint8Array | Promise<Uint8Array>;
}

function compressor(undo: FilterModule["undo"]): FilterModule {
  return { adds: null, undo };
}

const FILTERS: ReadonlyMap<number, FilterModule> = new Map([
  [FILTER.deflate, compressor((bytes, size) => inflate(bytes, "zlib", atRatio(bytes, size)))],
  [FILTER.lzf, compressor((bytes, size) => decodeLzf(bytes, exactly(atRatio(bytes, size), "lzf")))],
  [FILTER.bzip2, compressor(decodeBz2)],
  [FILTER.blosc, compressor((bytes, size) => decodeBlosc(bytes, size))],
  [FILTER.blosc2, compressor(decodeBlosc2Frame)],
  [FILTER.lz4, compressor(decodeLz4Frame)],
  [FILTER.zstd, compressor((bytes, size) => decodeZstd(bytes, size))],
  [FILTER.bitshuffle, compressor((bytes, size, values, element) => decodeBitshuffle(bytes, values, size, element))],
  [FILTER.shuffle, { adds: 0, undo: (bytes, _, values, elementSize) => unshuffle(bytes, values[0] ?? elementSize) }],
  [FILTER.fletcher32, { adds: FLETCHER32_BYTES, undo: checkFletcher32 }],
]);

/** Whether `decodeChunk` knows all of them. */
export function areDecodable(filters: readonly Filter[]): boolean {
  return filters.every(({ id }) => FILTERS.has(id));
}

/**
 * The chunk's own bytes.
 * @param mask bit k: filter k was skipped when the chunk was written.
 * @param size bytes that the chunk must have.
 * @throws {InvalidDataError} where a checksum is wrong, or the chunk gives another number of bytes.
 * @throws {UnsupportedError} for a filter that `areDecodable` does not know.
 */
export async function decodeChunk(
  stored: Uint8Array,
  filters: readonly Filter[],
  mask: number,
  size: number,
  elementSize: number,
): Promise<Uint8Array> {
  const steps: { readonly module: FilterModule; readonly values: readonly number[]; readonly size: OutputSize }[] = [];
  let before: OutputSize = { bytes: size, exact: true };
  filters.forEach(({ id, values }, k) => {
    if ((mask >>> k) & 1) return;
    const module = FILTERS.get(id);
    if (module === undefined) throw new UnsupportedError(`HDF5 filter ${id}`);
    steps.push({ module, values, size: before });
    const { bytes, exact } = before;
    // What a compressor made is of any size, and itself no larger than a chunk may be.
    before = module.adds === null ? { bytes: MAX_CHUNK_BYTES, exact: false } : { bytes: bytes + module.adds, exact };
  });
  let bytes = stored;
  for (const { module, values, size: expected } of steps.reverse()) {
    const result = module.undo(bytes, expected, values, elementSize);
    bytes = result instanceof Promise ? await result : result;
  }
  if (bytes.length !== size) throw new InvalidDataError(`chunk gives ${bytes.length} bytes instead of ${size}`);
  return bytes;
}

/** Neither deflate nor LZF can shrink more than that. */
const MAX_RATIO = 1032;

/** `size`, as far as the bytes can give it. */
function atRatio(packed: Uint8Array, size: OutputSize): OutputSize {
  const most = MAX_RATIO * packed.length + 64;
  if (size.bytes <= most) return size;
  if (!size.exact) return { bytes: most, exact: false };
  throw new InvalidDataError(`chunk of ${size.bytes} bytes cannot come from ${packed.length} bytes`);
}

/** LZF does not say what it gives. */
function exactly(size: OutputSize, name: string): number {
  if (size.exact) return size.bytes;
  throw new UnsupportedError(`HDF5 filter ${name} behind another compressor`);
}
