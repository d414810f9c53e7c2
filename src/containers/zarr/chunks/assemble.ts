import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { ZarrChunk } from "../codecs/codec.js";
import { type Box, visitSharedRanges } from "./box.js";

/** Copies chunks, or parts of them, to their positions in a box of elements. */
export interface Assembler {
  /** Places `chunk`, which covers `box`; undefined means a missing chunk with fill values. */
  place(chunk: ZarrChunk | undefined, box: Box): void;
  /** Returns the memory for the items of `box`; undefined if they are not contiguous in the target. */
  slot(box: Box): Uint8Array | undefined;
  finish(): ZarrChunk;
}

/**
 * @param size the size of an item in bytes; null for items of variable size.
 * @param fill the fill value: one item.
 * @param out memory for items of fixed size, `size` bytes for each element of `target`; by default new memory filled
 * with zeros.
 */
export function createAssembler(target: Box, size: number | null, fill: Uint8Array, out?: Uint8Array): Assembler {
  if (size === null) return new VariableAssembler(target, fill);
  return new FixedAssembler(
    target,
    size,
    fill,
    out ?? new Uint8Array(countElements(target.shape) * size),
    out === undefined,
  );
}

/** Maximum number of words that are copied one by one. For so few words, calling `set` would cost more. */
const SHORT = 16;

class FixedAssembler implements Assembler {
  readonly #target: Box;
  readonly #out: Uint8Array;
  readonly #fill: Uint8Array;
  readonly #size: number;
  readonly #isZero: boolean;
  readonly #isFilled: boolean;

  /** @param isZero true if `out` contains only zeros. */
  constructor(target: Box, size: number, fill: Uint8Array, out: Uint8Array, isZero: boolean) {
    this.#target = target;
    this.#size = size;
    this.#fill = fill;
    this.#out = out;
    this.#isZero = fill.every((byte) => byte === 0);
    this.#isFilled = isZero && this.#isZero;
  }

  place(chunk: ZarrChunk | undefined, box: Box): void {
    const size = this.#size;
    if (chunk === undefined) {
      if (this.#isFilled) return;
      visitSharedRanges(this.#target, box, (to, _, length) => this.#repeat(to * size, length * size));
      return;
    }
    const { byteOffset } = this.#out;
    const word = size % 4 === 0 && byteOffset % 4 === 0 ? 4 : size % 2 === 0 && byteOffset % 2 === 0 ? 2 : 1;
    const from = words(aligned(chunk.bytes, word), word);
    const out = words(this.#out, word);
    const step = size / word;
    visitSharedRanges(this.#target, box, (to, at, length) => {
      const count = length * step;
      const source = at * step;
      const target = to * step;
      if (count > SHORT) out.set(from.subarray(source, source + count), target);
      else for (let i = 0; i < count; i++) out[target + i] = from[source + i];
    });
  }

  slot({ start, shape }: Box): Uint8Array | undefined {
    const target = this.#target;
    if (shape.length === 0) return this.#out;
    const [first, ...rest] = start;
    const low = first - target.start[0];
    if (low < 0 || low + shape[0] > target.shape[0]) return undefined;
    if (rest.some((at, axis) => at !== target.start[axis + 1] || shape[axis + 1] !== target.shape[axis + 1])) {
      return undefined;
    }
    const row = countElements(shape.slice(1)) * this.#size;
    return this.#out.subarray(low * row, (low + shape[0]) * row);
  }

  /** Fills [at, at + length) with copies of the fill value, repeatedly doubling the filled part. */
  #repeat(at: number, length: number): void {
    if (this.#isZero) {
      this.#out.fill(0, at, at + length);
      return;
    }
    this.#out.set(this.#fill, at);
    for (let done = this.#size; done < length; done *= 2) {
      this.#out.copyWithin(at + done, at, at + Math.min(done, length - done));
    }
  }

  finish(): ZarrChunk {
    return { kind: "fixed", bytes: this.#out };
  }
}

/** Views bytes as words. Moving floating-point numbers through JavaScript may change the bits of a NaN. */
function words(bytes: Uint8Array, word: 1 | 2 | 4): Uint8Array | Uint16Array | Uint32Array {
  switch (word) {
    case 1:
      return bytes;
    case 2:
      return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
    case 4:
      return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    default:
      return word satisfies never;
  }
}

function aligned(bytes: Uint8Array, word: number): Uint8Array {
  return bytes.byteOffset % word === 0 ? bytes : new Uint8Array(bytes);
}

interface Placed {
  readonly chunk: ZarrChunk & { readonly kind: "variable" };
  readonly box: Box;
}

/**
 * Assembles items of variable size. Holds all chunks until the last one has arrived, since the position of an item
 * depends on the lengths of the previous items.
 */
class VariableAssembler implements Assembler {
  readonly #target: Box;
  readonly #fill: Uint8Array;
  readonly #placed: Placed[] = [];
  readonly #missing: Box[] = [];

  constructor(target: Box, fill: Uint8Array) {
    this.#target = target;
    this.#fill = fill;
  }

  place(chunk: ZarrChunk | undefined, box: Box): void {
    if (chunk?.kind === "variable") this.#placed.push({ chunk, box });
    else if (chunk === undefined) this.#missing.push(box);
    else throw new TypeError("a chunk of fixed items among variable ones");
  }

  slot(): undefined {
    return undefined;
  }

  finish(): ZarrChunk {
    const [only] = this.#placed;
    if (this.#placed.length === 1 && this.#missing.length === 0 && sameBox(only.box, this.#target)) return only.chunk;

    const count = countElements(this.#target.shape);
    const offsets = new Int32Array(count + 1);
    let total = 0;
    for (const { chunk, box } of this.#placed) {
      visitSharedRanges(this.#target, box, (to, from, length) => {
        for (let i = 0; i < length; i++) offsets[to + i + 1] = chunk.offsets[from + i + 1] - chunk.offsets[from + i];
        total += chunk.offsets[from + length] - chunk.offsets[from];
      });
    }
    for (const box of this.#missing) {
      visitSharedRanges(this.#target, box, (to, _, length) => {
        offsets.fill(this.#fill.length, to + 1, to + length + 1);
        total += length * this.#fill.length;
      });
    }
    if (total > 2 ** 31 - 1)
      throw new InvalidDataError(`${total} bytes of text in ${count} values, at most ${2 ** 31 - 1}`);
    for (let i = 0; i < count; i++) offsets[i + 1] += offsets[i];

    const bytes = new Uint8Array(total);
    for (const { chunk, box } of this.#placed) {
      visitSharedRanges(this.#target, box, (to, from, length) => {
        bytes.set(chunk.bytes.subarray(chunk.offsets[from], chunk.offsets[from + length]), offsets[to]);
      });
    }
    if (this.#fill.length > 0) {
      for (const box of this.#missing) {
        visitSharedRanges(this.#target, box, (to, _, length) => {
          for (let i = 0; i < length; i++) bytes.set(this.#fill, offsets[to + i]);
        });
      }
    }
    return { kind: "variable", offsets, bytes };
  }
}

function sameBox(a: Box, b: Box): boolean {
  return a.start.every((start, axis) => start === b.start[axis] && a.shape[axis] === b.shape[axis]);
}
