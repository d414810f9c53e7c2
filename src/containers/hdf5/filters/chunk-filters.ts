/** Undoes the filters that a chunk went through. A new filter is a line in `FILTERS`. */

import { decodeBlosc } from "../../../kernels/codecs/blosc/blosc.js";
import { decodeBz2 } from "../../../kernels/codecs/bz2/bz2.js";
import { inflate, type OutputSize } from "../../../kernels/codecs/deflate/inflate.js";
import { decodeLzf, lzfInto } from "../../../kernels/codecs/lzf.js";
import { unshuffle, unshuffleInto } from "../../../kernels/codecs/shuffle/unshuffle.js";
import { decodeZstd } from "../../../kernels/codecs/zstd/zstd.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { MAX_CHUNK_BYTES } from "../../tree/container.js";
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
   * @param target where the result may go, of exactly its size; what is returned then is `target`, or memory of its own.
   */
  undo(
    bytes: Uint8Array,
    size: OutputSize,
    values: readonly number[],
    elementSize: number,
    target?: Uint8Array,
  ): Uint8Array | Promise<Uint8Array>;
}

function compressor(undo: FilterModule["undo"]): FilterModule {
  return { adds: null, undo };
}

const FILTERS: ReadonlyMap<number, FilterModule> = new Map([
  [
    FILTER.deflate,
    compressor((bytes, size, _, _element, target) => inflate(bytes, "zlib", atRatio(bytes, size), target)),
  ],
  [FILTER.lzf, compressor((bytes, size, _, _element, target) => unpackLzf(bytes, atRatio(bytes, size), target))],
  [FILTER.bzip2, compressor((bytes, size) => decodeBz2(bytes, size))],
  [FILTER.blosc, compressor((bytes, size, _, _element, target) => decodeBlosc(bytes, size, target))],
  [FILTER.blosc2, compressor(decodeBlosc2Frame)],
  [FILTER.lz4, compressor(decodeLz4Frame)],
  [FILTER.zstd, compressor((bytes, size, _, _element, target) => decodeZstd(bytes, size, target))],
  [FILTER.bitshuffle, compressor((bytes, size, values, element) => decodeBitshuffle(bytes, values, size, element))],
  [
    FILTER.shuffle,
    { adds: 0, undo: (bytes, _, values, element, target) => unshuffled(bytes, values[0] ?? element, target) },
  ],
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
 * @param target of so many bytes, where they may go: they lie there, or in what is returned.
 * @throws {InvalidDataError} where a checksum is wrong, or the chunk gives another number of bytes.
 * @throws {UnsupportedError} for a filter that `areDecodable` does not know.
 */
export async function decodeChunk(
  stored: Uint8Array,
  filters: readonly Filter[],
  mask: number,
  size: number,
  elementSize: number,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const steps: { readonly module: FilterModule; readonly values: readonly number[]; readonly size: OutputSize }[] = [];
  let before: OutputSize = { bytes: size, exact: true };
  filters.forEach(({ id, values }, k) => {
    if ((mask >>> k) & 1) return;
    const module = FILTERS.get(id);
    if (module === undefined) throw new UnsupportedError(`HDF5 filter ${id}`);
    steps.push({ module, values, size: before });
    const { bytes, exact } = before;
    // What a compressor made of it is hardly larger: none doubles what it cannot shrink.
    const most = Math.min(MAX_CHUNK_BYTES, 2 * bytes + 2 ** 16);
    before = module.adds === null ? { bytes: most, exact: false } : { bytes: bytes + module.adds, exact };
  });
  let bytes = stored;
  for (let k = steps.length - 1; k >= 0; k--) {
    const { module, values, size: expected } = steps[k];
    const result = module.undo(bytes, expected, values, elementSize, k === 0 ? target : undefined);
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
function unpackLzf(packed: Uint8Array, size: OutputSize, target: Uint8Array | undefined): Uint8Array {
  if (!size.exact) throw new UnsupportedError("HDF5 filter lzf behind another compressor");
  if (target === undefined) return decodeLzf(packed, size.bytes);
  lzfInto(packed, target);
  return target;
}

function unshuffled(planes: Uint8Array, valueSize: number, target: Uint8Array | undefined): Uint8Array {
  if (target?.length !== planes.length) return unshuffle(planes, valueSize);
  unshuffleInto(planes, target, valueSize);
  return target;
}
