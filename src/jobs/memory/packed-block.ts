/** Arrays packed into one block of memory, which goes to a worker and comes back. */

import { bytesOf, type NumberArray, viewLike } from "../../model/stored.js";

/** Where the arrays of a message are put. */
export interface MessageBuffers {
  /** The values, in memory that may be sent. */
  own<T extends NumberArray>(values: T): T;
  /** The same with `first` subtracted from each. */
  offsets(values: Int32Array, first: number): Int32Array;
}

/** Counts what a block needs, and leaves everything where it is. */
export class BlockSize implements MessageBuffers {
  bytes = 0;

  own<T extends NumberArray>(values: T): T {
    if (!isShared(values)) this.bytes += rounded(values.byteLength);
    return values;
  }

  offsets(values: Int32Array): Int32Array {
    this.bytes += rounded(values.byteLength);
    return values;
  }
}

/** Copies into a block; what threads share stays as it is. */
export class BlockCopies implements MessageBuffers {
  readonly #block: ArrayBuffer;
  #at = 0;

  constructor(block: ArrayBuffer) {
    this.#block = block;
  }

  own<T extends NumberArray>(values: T): T;
  own(values: NumberArray): NumberArray {
    return isShared(values) ? values : viewLike(values, this.#copy(values));
  }

  offsets(values: Int32Array, first: number): Int32Array {
    const { buffer, byteOffset } = this.#copy(values);
    const moved = new Int32Array(buffer, byteOffset, values.length);
    if (first !== 0) for (let i = 0; i < moved.length; i++) moved[i] -= first;
    return moved;
  }

  #copy(values: NumberArray): Uint8Array {
    const copy = new Uint8Array(this.#block, this.#at, values.byteLength);
    copy.set(bytesOf(values));
    this.#at += rounded(values.byteLength);
    return copy;
  }
}

/** Whether other threads see this memory, too; pages that may not share memory do not even have the name. */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

/** Views begin at multiples of 8. */
function rounded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
