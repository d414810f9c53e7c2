/**
 * Messages that objects share, which are stored in the file's heaps. Source: HDF5 File Format Specification, III.I
 * (shared object header message table), IV.A.2.p.
 */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import { type Hdf5File, openBlock, type SharedHeaps } from "../file/hdf5-file.js";
import { FractalHeap } from "../heaps/fractal-heap.js";
import { MESSAGE } from "./object-header.js";

/** Maximum number of indices for shared messages, as in libhdf5. */
const MAX_INDICES = 8;

/** Bytes of a message's id. */
const ID_BYTES = 8;

/** An index of shared messages, and its heap. */
interface SharedIndex {
  /** The types of messages in the index: bit k is set for type k. */
  readonly types: number;
  readonly heap: number | null;
}

/**
 * Reads the table of heaps.
 * @param message the body of the message in the superblock's extension.
 * @throws {InvalidDataError} if the table is damaged.
 */
export async function readSharedHeaps(
  file: Hdf5File,
  message: Uint8Array,
  options?: ReadOptions,
): Promise<SharedHeaps> {
  const { offsets } = file.sizes;
  const place = new Cursor(message, "shared message table");
  const version = place.u8();
  if (version !== 0) throw new InvalidDataError(`shared message table has version ${version}; only 0 exists`);
  const address = place.uint(offsets);
  const count = place.u8();
  if (count > MAX_INDICES) throw new InvalidDataError(`${count} indices of shared messages; ${MAX_INDICES} may exist`);
  const bytes = await file.read(address, 4 + count * (14 + 2 * offsets) + 4, options);
  // Each index is preceded by its own version, in contrast to other blocks, which have a single version.
  const cursor = openBlock(bytes, "SMTB", address);
  const indices: SharedIndex[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && cursor.u8() !== 0) throw new InvalidDataError("an index of shared messages has an unknown version");
    cursor.skip(1);
    const types = cursor.u16();
    cursor.skip(10 + offsets);
    indices.push({ types, heap: cursor.optional(offsets) });
  }
  return new MessageHeaps(file, indices);
}

class MessageHeaps implements SharedHeaps {
  readonly #file: Hdf5File;
  readonly #indices: readonly SharedIndex[];
  readonly #heaps = new Map<number, Promise<FractalHeap>>();
  /**
   * Messages by location. Because messages are cached, their total size cannot exceed the file's size, no matter how
   * many objects share a message.
   */
  readonly #messages = new Map<string, Promise<Uint8Array>>();

  constructor(file: Hdf5File, indices: readonly SharedIndex[]) {
    this.#file = file;
    this.#indices = indices;
  }

  find(type: number, id: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const key = `${type} ${id.join()}`;
    let message = this.#messages.get(key);
    if (message === undefined) {
      message = this.#read(type, id, options);
      this.#messages.set(key, message);
      // A failed read is not cached, because it may only have been cancelled.
      message.catch(() => this.#messages.delete(key));
    }
    return message;
  }

  async #read(type: number, id: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const of = type === MESSAGE.oldFillValue ? MESSAGE.fillValue : type;
    const heap = this.#indices.find(({ types }) => (types >> of) & 1)?.heap ?? null;
    if (heap === null) throw new InvalidDataError(`no heap has shared messages of type ${type}`);
    let opened = this.#heaps.get(heap);
    if (opened === undefined) {
      opened = FractalHeap.open(this.#file, heap, options);
      this.#heaps.set(heap, opened);
      opened.catch(() => this.#heaps.delete(heap));
    }
    return await (await opened).object(id.subarray(0, ID_BYTES), options);
  }
}
