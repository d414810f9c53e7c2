/** Undoes the filters that a chunk went through: deflate, LZF, shuffle, fletcher32. */

import { InvalidDataError } from "../../errors.js";
import { inflate } from "../../kernels/inflate.js";
import { decodeLzf } from "../../kernels/lzf.js";
import { unshuffle } from "../../kernels/unshuffle.js";
import { FILTER, type Filter } from "./filter-pipeline.js";

/** Whether `decodeChunk` knows all of them. */
export function areDecodable(filters: readonly Filter[]): boolean {
  return filters.every(({ id }) => DECODABLE.has(id));
}

const DECODABLE: ReadonlySet<number> = new Set([FILTER.deflate, FILTER.lzf, FILTER.shuffle, FILTER.fletcher32]);

/** Neither deflate nor LZF can shrink more than that. */
const MAX_RATIO = 1032;

/**
 * The chunk's own bytes.
 * @param mask bit k: filter k was skipped when the chunk was written.
 * @param size bytes that the chunk must have.
 * @throws {InvalidDataError} where a checksum is wrong, or the chunk gives another number of bytes.
 */
export async function decodeChunk(
  stored: Uint8Array,
  filters: readonly Filter[],
  mask: number,
  size: number,
  elementSize: number,
): Promise<Uint8Array> {
  let bytes = stored;
  for (let k = filters.length - 1; k >= 0; k--) {
    if ((mask >>> k) & 1) continue;
    const { id, values } = filters[k];
    if (id === FILTER.deflate) bytes = await inflateChunk(bytes, size + sumsBefore(filters, mask, k));
    else if (id === FILTER.lzf) bytes = unpackLzf(bytes, size + sumsBefore(filters, mask, k));
    else if (id === FILTER.shuffle) bytes = unshuffle(bytes, values[0] ?? elementSize);
    else bytes = checkFletcher32(bytes);
  }
  if (bytes.length !== size) throw new InvalidDataError(`chunk gives ${bytes.length} bytes instead of ${size}`);
  return bytes;
}

/** Bytes that checksums made before filter `k` add to what it saw. */
function sumsBefore(filters: readonly Filter[], mask: number, k: number): number {
  let bytes = 0;
  for (let i = 0; i < k; i++) if (filters[i].id === FILTER.fletcher32 && !((mask >>> i) & 1)) bytes += 4;
  return bytes;
}

function unpackLzf(packed: Uint8Array, size: number): Uint8Array {
  checkRatio(packed, size);
  return decodeLzf(packed, size);
}

function checkRatio(packed: Uint8Array, size: number): void {
  if (size <= MAX_RATIO * packed.length + 64) return;
  throw new InvalidDataError(`chunk of ${size} bytes cannot come from ${packed.length} bytes`);
}

async function inflateChunk(packed: Uint8Array, size: number): Promise<Uint8Array> {
  checkRatio(packed, size);
  return await inflate(packed, "zlib", { bytes: size, exact: true });
}

function checkFletcher32(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 4) throw new InvalidDataError(`chunk of ${bytes.length} bytes has no room for its checksum`);
  const data = bytes.subarray(0, bytes.length - 4);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + data.length, 4).getUint32(0, true);
  const sum = fletcher32(data);
  // HDF5 before 1.6.3 stored both halves with their bytes swapped.
  const swapped = (((sum & 0xff00ff) << 8) | ((sum >>> 8) & 0xff00ff)) >>> 0;
  if (stored !== sum && stored !== swapped) {
    throw new InvalidDataError(`chunk has fletcher32 checksum ${stored}, its bytes have ${sum}`);
  }
  return data;
}

/** Over big-endian words of 16 bits; an odd last byte is the high half of its word. */
export function fletcher32(data: Uint8Array): number {
  let low = 0;
  let high = 0;
  const even = data.length - (data.length % 2);
  for (let start = 0; start < even; ) {
    // The most additions that stay below 2^32.
    const end = Math.min(start + 720, even);
    for (; start < end; start += 2) {
      low += (data[start] << 8) | data[start + 1];
      high += low;
    }
    low = (low & 0xffff) + (low >>> 16);
    high = (high & 0xffff) + (high >>> 16);
  }
  if (even < data.length) {
    low += data[even] << 8;
    high += low;
    low = (low & 0xffff) + (low >>> 16);
    high = (high & 0xffff) + (high >>> 16);
  }
  low = (low & 0xffff) + (low >>> 16);
  high = (high & 0xffff) + (high >>> 16);
  return high * 65536 + low;
}
