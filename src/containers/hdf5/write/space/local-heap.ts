/** The names of a group's members. Source: HDF5 File Format Specification, III.D. */

import { UnsupportedError } from "../../../../model/errors.js";
import { ByteBuilder } from "./byte-builder.js";
import type { FileSpace } from "./file-space.js";

/** Says that there is no free block. */
const NO_FREE_BLOCK = 1;

/** The keys of our trees use 32 of the 64 bits. */
const MOST_BYTES = 2 ** 31;

export class LocalHeapWriter {
  /** Offset 0 is the empty name, smaller than all others. */
  readonly #data = new ByteBuilder().zeros(8);

  /** @returns the name's offset. @throws {UnsupportedError} where names take too much. */
  put(name: Uint8Array): number {
    const offset = this.#data.length;
    this.#data.bytes(name).zeros(8 - (name.length % 8));
    if (this.#data.length > MOST_BYTES) {
      throw new UnsupportedError(
        `names of one group take ${this.#data.length} bytes; at most ${MOST_BYTES} are written`,
      );
    }
    return offset;
  }

  /** @returns the heap's address. */
  write(space: FileSpace): number {
    const data = this.#data.finish();
    const address = space.append(data);
    const header = new ByteBuilder(32).ascii("HEAP").zeros(4);
    return space.append(header.u64(data.length).u64(NO_FREE_BLOCK).u64(address).finish());
  }
}
