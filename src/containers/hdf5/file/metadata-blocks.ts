/** Small structures of a file, many at once: over a network, one request for neighbours. */

import { InvalidDataError } from "../../../model/errors.js";
import { mergeRanges } from "../../../sources/merge-ranges.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import { verifyChecksum } from "../bytes/lookup3.js";
import type { Hdf5File } from "./file-bytes.js";

/** Where a structure lies, and its bytes. */
export interface MetadataBlock {
  readonly address: number;
  readonly length: number;
}

/** Requests under way at the same time. */
const AT_ONCE = 8;

/** More lie so far apart that what is around them is not worth keeping. */
const FEW_RUNS = 16;

/**
 * The bytes of each block, in the order asked for.
 * @throws {InvalidDataError} where one lies beyond the end of the file.
 */
export async function readBlocks(
  file: Hdf5File,
  blocks: readonly MetadataBlock[],
  options?: ReadOptions,
): Promise<Uint8Array[]> {
  for (const { address, length } of blocks) {
    if (address + length > file.size) {
      throw new InvalidDataError(
        `${length} bytes at address ${address} lie beyond the end of the file, which has ${file.size} bytes`,
      );
    }
  }
  const found: Uint8Array[] = blocks.map(() => new Uint8Array(0));
  const runs = mergeRanges(blocks.map(({ address, length }) => ({ start: address, end: address + length })));
  const scattered = file.copies && runs.length > FEW_RUNS;
  for (let first = 0; first < runs.length; first += AT_ONCE) {
    options?.signal?.throwIfAborted();
    const some = runs.slice(first, first + AT_ONCE);
    const parts = await Promise.all(
      some.map(({ start, end }) => readPart(file, start, end - start, scattered, options)),
    );
    for (const [i, { start, members }] of some.entries()) {
      for (const member of members) {
        const { address, length } = blocks[member];
        found[member] = parts[i].subarray(address - start, address - start + length);
      }
    }
  }
  return found;
}

/** @param alone whether nothing around it is read with it, where a source would. */
async function readPart(
  file: Hdf5File,
  address: number,
  length: number,
  alone: boolean,
  options?: ReadOptions,
): Promise<Uint8Array> {
  if (!alone) return await file.read(address, length, options);
  const bytes = new Uint8Array(length);
  await file.readInto(address, bytes, options);
  return bytes;
}

/**
 * A cursor behind signature and version (0) of a block whose last 4 bytes are its checksum.
 * @throws {InvalidDataError} where it is another one, or damaged.
 */
export function openBlock(bytes: Uint8Array, signature: string, address: number): Cursor {
  const what = `${signature} block at ${address}`;
  const cursor = new Cursor(bytes, what);
  const found = String.fromCharCode(...cursor.take(4));
  if (found !== signature) throw new InvalidDataError(`there is no ${what}`);
  verifyChecksum(bytes, what);
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`${what} has version ${version}; only 0 exists`);
  return cursor;
}
