/** Which bytes of an undamaged file have a checksum, and right checksums for changed ones. */

import { lookup3 } from "../../src/containers/hdf5/bytes/lookup3.js";
import { computeFletcher32, crc32c } from "../../src/kernels/checksums/checksums.js";
import type { Stretch } from "./change.js";

/** A stretch with its checksum in four of its bytes: the last ones, or a field that counts as zeros. */
export interface Checksummed extends Stretch {
  readonly sum: (bytes: Uint8Array) => number;
  readonly field: number;
}

/** Blocks larger than this have none, or are not looked for. */
const MAX_BLOCK = 1 << 16;

/** Ends that are tried for one begin. */
const MAX_ENDS = 48;

const SIGNATURE = /OHDR|OCHK|FRHP|FHIB|BTHD|BTIN|BTLF|FAHD|FADB|EAHD|EAIB|EASB|EADB/g;

/** @param reads what a reader of the file asks for: most structures, and runs of them, are read as a whole. */
export function checksummedInHdf5(bytes: Uint8Array, reads: readonly Stretch[]): Checksummed[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const signatures = [...text.matchAll(SIGNATURE)].map(({ index }) => index);
  const starts = distinct([0, ...signatures, ...reads.map(({ start }) => start)]);
  const headers = signatures.filter((at) => text.startsWith("OHDR", at)).map((at) => headerEnd(bytes, at));
  const ends = distinct([48, ...starts, ...headers, ...reads.map(({ end }) => end)]).filter(
    (end) => end <= text.length,
  );
  const found: Checksummed[] = [];
  for (const start of starts) {
    const from = ends.findIndex((end) => end >= start + 8);
    if (from < 0) continue;
    for (const end of ends.slice(from, from + MAX_ENDS)) {
      if (end - start > MAX_BLOCK) break;
      const sum = [lookup3, computeFletcher32].find(
        (one) => one(bytes.subarray(start, end - 4)) === stored(bytes, end - 4),
      );
      // Zeros have the checksum zero.
      if (sum === undefined || stored(bytes, end - 4) === 0) continue;
      found.push({ start, end, sum, field: end - 4 });
      break;
    }
  }
  return [...found, ...directBlocks(bytes, text)];
}

/** The direct blocks of fractal heaps: the checksum stands behind the block's offset, of 4 or 5 bytes, mostly. */
function directBlocks(bytes: Uint8Array, text: string): Checksummed[] {
  return [...text.matchAll(/FHDB/g)].flatMap(({ index: start }) => {
    for (const field of [start + 15, start + 16, start + 17, start + 18]) {
      for (let end = start + 512; end <= Math.min(bytes.length, start + MAX_BLOCK); end += end - start) {
        const block = { start, end, sum: lookup3, field };
        if (checksum(bytes, block) === stored(bytes, field)) return [block];
      }
    }
    return [];
  });
}

/** A value of a Zarr store, of which the reader asked for `reads`. */
export function checksummedInZarr(bytes: Uint8Array, reads: readonly Stretch[]): Checksummed[] {
  const starts = distinct([0, ...reads.map(({ start }) => start)]);
  const ends = distinct([bytes.length, ...reads.map(({ end }) => end)]);
  return starts.flatMap((start) =>
    ends
      .filter((end) => end - start > 4 && crc32c(bytes.subarray(start, end - 4)) === stored(bytes, end - 4))
      .map((end) => ({ start, end, sum: crc32c, field: end - 4 })),
  );
}

/** Writes right checksums of what was changed, inner stretches first. */
export function mend(bytes: Uint8Array, blocks: readonly Checksummed[], changed: readonly Stretch[]): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const hit = blocks.filter((block) => block.end <= bytes.length && changed.some((change) => overlap(block, change)));
  for (const block of hit.sort((a, b) => a.end - a.start - (b.end - b.start))) {
    view.setUint32(block.field, checksum(bytes, block), true);
  }
}

export function overlap(a: Stretch, b: Stretch): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Whether every change lies inside a stretch with a checksum. */
export function isProtected(blocks: readonly Stretch[], changed: readonly Stretch[]): boolean {
  return changed.every(({ start, end }) => blocks.some((block) => block.start <= start && end <= block.end));
}

function checksum(bytes: Uint8Array, { start, end, sum, field }: Checksummed): number {
  if (field === end - 4) return sum(bytes.subarray(start, field));
  const copy = bytes.slice(start, end);
  copy.fill(0, field - start, field - start + 4);
  return sum(copy);
}

function stored(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
}

function headerEnd(bytes: Uint8Array, at: number): number {
  const flags = bytes[at + 5];
  const size = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const width = 1 << (flags & 3);
  let length = 0;
  for (let i = width - 1; i >= 0; i--) length = length * 256 + bytes[size + i];
  return size + width + length + 4;
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
