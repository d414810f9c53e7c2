/** Values stored in other files as raw bytes. Source: HDF5 File Format Specification, IV.A.2.h. */

import type { ByteSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { readLocalHeap } from "../heaps/local-heap.js";

/**
 * A part of the values: `size` bytes in a file, starting at `offset`. If the size is null, the part has as many bytes
 * as needed.
 */
export interface ExternalPart {
  readonly name: string;
  readonly offset: number;
  readonly size: number | null;
}

/** Maximum number of parts of one dataset. */
const MAX_PARTS = 2 ** 14;

/** @throws {InvalidDataError} if the message is damaged. */
export async function readExternalParts(
  file: Hdf5File,
  body: Uint8Array,
  options?: ReadOptions,
): Promise<readonly ExternalPart[]> {
  const { offsets, lengths } = file.sizes;
  const cursor = new Cursor(body, "external file list");
  const version = cursor.u8();
  if (version !== 1) throw new InvalidDataError(`external file list has version ${version}; only 1 exists`);
  cursor.skip(5);
  const used = cursor.u16();
  if (used > MAX_PARTS) throw new UnsupportedError(`external storage in ${used} parts; at most ${MAX_PARTS} are read`);
  const heap = await readLocalHeap(file, cursor.uint(offsets), options);
  const parts: ExternalPart[] = [];
  const names = new Map<number, string>();
  for (let i = 0; i < used; i++) {
    const at = cursor.uint(lengths);
    const name = names.get(at) ?? heap.text(at);
    names.set(at, name);
    parts.push({ name, offset: cursor.uint(lengths), size: cursor.optional(lengths) });
  }
  return parts;
}

export interface SourcePart {
  readonly source: ByteSource;
  readonly offset: number;
  readonly size: number;
}

/**
 * Joins the first `size` bytes of the parts into one source, which does not close the parts' own sources.
 * @param openPart opens the file of a part.
 * @throws {InvalidDataError} if the files have fewer bytes, because libhdf5 would replace the missing bytes with zeros.
 */
export async function joinExternalParts(
  name: string,
  parts: readonly ExternalPart[],
  size: number,
  openPart: (name: string) => Promise<ByteSource>,
): Promise<ByteSource> {
  const all: SourcePart[] = [];
  let left = size;
  for (const part of parts) {
    if (left === 0) break;
    const source = await openPart(part.name);
    const length = Math.min(left, part.size ?? left);
    if (part.offset + length > source.size) {
      throw new InvalidDataError(
        `external storage of ${length} bytes from ${part.offset} on, in the file ${part.name} of ${source.size} bytes`,
      );
    }
    all.push({ source, offset: part.offset, size: length });
    left -= length;
  }
  if (left > 0) throw new InvalidDataError(`external storage of ${size - left} bytes for values of ${size}`);
  return new JoinedSource(name, all, size);
}

class JoinedSource implements ByteSource {
  readonly kind = "bytes";
  readonly name: string;
  readonly size: number;
  readonly #parts: readonly SourcePart[];

  constructor(name: string, parts: readonly SourcePart[], size: number) {
    this.name = name;
    this.size = size;
    this.#parts = parts;
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array> {
    if (start < 0 || end > this.size) throw new InvalidDataError(`bytes ${start} to ${end} of ${this.size}`);
    const bytes = new Uint8Array(end - start);
    let at = 0;
    for (const { source, offset, size } of this.#parts) {
      const from = Math.max(start, at);
      const to = Math.min(end, at + size);
      if (from < to) bytes.set(await source.read(offset + from - at, offset + to - at, options), from - start);
      at += size;
    }
    return bytes;
  }

  async close(): Promise<void> {}
}
