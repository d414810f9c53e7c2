/** A column of a row group, which lies across several batches, as pages of 32-bit words. */

import { InvalidInputError } from "../../errors.js";
import type { NumberArray } from "../../stored.js";

export const PAGE_ROWS = 2 ** 17;

/** The values of a column in one batch, checked to be what a field of `bytes` bytes a value has. */
export function primitiveValues(values: unknown, bytes: number, from: number, to: number): NumberArray {
  if (!isPrimitiveArray(values) || values.BYTES_PER_ELEMENT !== bytes || values.length < to) {
    const found = isPrimitiveArray(values) ? `${values.length} of ${values.BYTES_PER_ELEMENT} bytes` : "none";
    throw new InvalidInputError(`a batch should have ${to} values of ${bytes} bytes, there are ${found}`);
  }
  return values.subarray(from, to);
}

function isPrimitiveArray(values: unknown): values is NumberArray {
  return ArrayBuffer.isView(values) && "BYTES_PER_ELEMENT" in values && "subarray" in values;
}

/**
 * The values in pages of `PAGE_ROWS`, 8 and 16-bit integers widened, 64-bit values as two words, the low one first.
 * A page that lies in one part is a view of it, any other is overwritten by the next one.
 */
export function* wordPages(parts: readonly NumberArray[]): Generator<Int32Array> {
  if (parts.length === 0) return;
  const bytes = parts[0].BYTES_PER_ELEMENT;
  const words = parts.map((part) => wordsOf(part));
  const pageWords = bytes === 8 ? 2 * PAGE_ROWS : PAGE_ROWS;
  const total = words.reduce((sum, part) => sum + part.length, 0);
  let scratch = new Int32Array(0);
  let part = 0;
  let at = 0;
  for (let done = 0; done < total; ) {
    const size = Math.min(pageWords, total - done);
    while (at === words[part].length) {
      part++;
      at = 0;
    }
    const whole = words[part];
    if (whole instanceof Int32Array && whole.length - at >= size) {
      yield whole.subarray(at, at + size);
      at += size;
    } else {
      if (scratch.length < size) scratch = new Int32Array(size);
      const page = scratch.subarray(0, size);
      for (let filled = 0; filled < size; ) {
        const take = Math.min(words[part].length - at, size - filled);
        page.set(words[part].subarray(at, at + take), filled);
        filled += take;
        at += take;
        if (at === words[part].length && filled < size) {
          part++;
          at = 0;
        }
      }
      yield page;
    }
    done += size;
  }
}

type Words = Int32Array | Int8Array | Uint8Array | Int16Array | Uint16Array;

function wordsOf(part: NumberArray): Words {
  if (
    part instanceof Int8Array ||
    part instanceof Uint8Array ||
    part instanceof Int16Array ||
    part instanceof Uint16Array
  ) {
    return part;
  }
  return new Int32Array(part.buffer, part.byteOffset, part.byteLength / 4);
}
