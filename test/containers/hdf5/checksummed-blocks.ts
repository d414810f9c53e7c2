/** Damages newer structures of a file, and makes their checksums right again, so that what lies behind is tested. */

import { lookup3 } from "../../../src/containers/hdf5/bytes/lookup3.js";

interface Block {
  readonly start: number;
  /** Bytes that the checksum is of, those of the checksum itself taken as zeros where it lies among them. */
  readonly end: number;
  /** Where the checksum stands. */
  readonly sum: number;
}

const TAILED = ["FRHP", "FHIB", "BTHD", "BTIN", "BTLF", "OHDR", "OCHK"];

const MAX_BLOCK = 3000;

/** Where in `bytes` the `nth` block with a signature begins. */
export function findBlock(bytes: Uint8Array, signature: string, nth = 0): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = -1;
  for (let i = 0; i <= nth; i++) at = buffer.indexOf(signature, at + 1, "latin1");
  if (at < 0) throw new Error(`no block ${signature} ${nth}`);
  return at;
}

/** All blocks of an undamaged file with addresses of 8 bytes, whose heaps' direct blocks have `blockBytes`. */
export function checksummedBlocks(bytes: Uint8Array): Block[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const blocks: Block[] = [];
  for (const signature of TAILED) {
    for (let start = next(bytes, signature, 0); start >= 0; start = next(bytes, signature, start + 1)) {
      const last = Math.min(bytes.length - 4, start + MAX_BLOCK);
      for (let sum = start + 8; sum <= last; sum++) {
        if (view.getUint32(sum, true) !== lookup3(bytes.subarray(start, sum))) continue;
        blocks.push({ start, end: sum, sum });
        break;
      }
    }
  }
  for (let start = next(bytes, "FHDB", 0); start >= 0; start = next(bytes, "FHDB", start + 1)) {
    for (const sum of [start + 17, start + 18]) {
      for (let end = start + 512; end <= bytes.length && end <= start + 65536; end = start + 2 * (end - start)) {
        if (view.getUint32(sum, true) === sumWithHole(bytes, start, end, sum)) blocks.push({ start, end, sum });
      }
    }
  }
  return blocks;
}

function next(bytes: Uint8Array, signature: string, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(signature, from, "latin1");
}

function sumWithHole(bytes: Uint8Array, start: number, end: number, sum: number): number {
  const copy = bytes.slice(start, end);
  if (sum < end) copy.fill(0, sum - start, sum - start + 4);
  return lookup3(copy);
}

/** Writes right checksums into blocks of which something was changed. */
export function mendChecksums(bytes: Uint8Array, blocks: readonly Block[]): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { start, end, sum } of blocks) view.setUint32(sum, sumWithHole(bytes, start, end, sum), true);
}
