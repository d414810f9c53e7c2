/**
 * Local heaps, which hold the names in old groups and the names of external storage files. Source: HDF5 File Format
 * Specification, III.D.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";

export interface LocalHeap {
  /**
   * Reads the text at `offset`, up to its NUL.
   * @throws {InvalidDataError} if the text extends past the end.
   */
  text(offset: number): string;
}

/** @throws {InvalidDataError} if there is no local heap, or its data lies outside the file. */
export async function readLocalHeap(file: Hdf5File, address: number, options?: ReadOptions): Promise<LocalHeap> {
  const { offsets, lengths } = file.sizes;
  const what = `local heap at ${address}`;
  const header = new Cursor(await file.readUpTo(address, 8 + 2 * lengths + offsets, options), what);
  if (String.fromCharCode(...header.take(4)) !== "HEAP" || header.u8() !== 0) {
    throw new InvalidDataError(`there is no local heap at address ${address}`);
  }
  header.skip(3);
  const size = header.uint(lengths);
  header.skip(lengths);
  const data = await file.read(header.uint(offsets), size, options);
  // Texts do not overlap in real files. In a crafted file, overlapping texts could take more memory than the file has
  // bytes.
  let given = 0;
  return {
    text(offset) {
      if (offset >= size) throw new InvalidDataError(`text at ${offset} of ${size} bytes in the ${what}`);
      const cursor = new Cursor(data, what, offset);
      const text = cursor.text();
      given += cursor.position - offset;
      if (given > size) throw new InvalidDataError(`texts of ${given} bytes in the ${what}, which has ${size}`);
      return text;
    },
  };
}
