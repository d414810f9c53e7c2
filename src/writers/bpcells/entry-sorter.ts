/** Sorts the entries in each row (or column) by position, as BPCells' own writer does. */

import { convertIndices, getMaxInteger } from "../../kernels/sparse/convert-indices.js";
import { computeSortedPositions, findUnsortedList } from "../../kernels/sparse/entry-order.js";
import { takeElements } from "../../kernels/values/take-elements.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { createZeros, type IntArray, type NumberArray, viewAsBytes } from "../../model/stored.js";
import { UINT32 } from "./context.js";

export interface SortedEntries {
  readonly positions: Uint32Array;
  readonly values: NumberArray;
}

/** Maximum number of coordinate entries that are buffered until their row (or column) ends. */
const MAX_WAITING = 2 ** 24;

const LARGEST_SORTED = getMaxInteger({ kind: "int", bits: 32, signed: true });

/**
 * Sorts entries by row (or column). Sorted entries pass through unchanged. The last row (or column) in a batch of
 * coordinates waits for the next batch.
 */
export class EntrySorter {
  readonly #element: string;
  readonly #majorName: string;
  #waiting: SortedEntries[] = [];
  #waitingLength = 0;
  #major: number | bigint = -1;
  /** Last position in the current row (or column) that has been yielded. */
  #given = -1;

  /** @param majorName the compressed axis's name in messages. */
  constructor(majorName: "row" | "col", element: string) {
    this.#majorName = majorName;
    this.#element = element;
  }

  /**
   * Sorts whole lists. List i begins at offsets[i] - offsets[0].
   * @param inOrder whether the lists are known to be sorted.
   */
  lists(offsets: Int32Array, minor: IntArray, values: NumberArray, inOrder = false): SortedEntries {
    const positions = unsigned(minor);
    if (inOrder || findUnsortedList(offsets, positions) < 0) return { positions, values };
    this.#checkRange(positions);
    const places = computeSortedPositions(offsets, positions);
    return { positions: take(positions, places), values: takeElements(values, places, 1) };
  }

  /** Sorts entries whose positions along the compressed axis never decrease. */
  *coordinates(major: IntArray, minor: IntArray, values: NumberArray): Generator<SortedEntries> {
    const positions = unsigned(minor);
    const starts = runsOf(major);
    if (starts.length === 1) return;
    const first = starts[1];
    if (major[0] === this.#major) {
      this.#wait(positions.subarray(0, first), values.subarray(0, first));
    } else {
      yield* this.finish();
      this.#begin(major[0]);
      this.#wait(positions.subarray(0, first), values.subarray(0, first));
    }
    if (starts.length === 2) {
      yield* this.#relieve();
      return;
    }
    yield* this.finish();
    const last = starts[starts.length - 2];
    if (last > first) {
      const inner = starts.subarray(1, -1);
      yield this.lists(inner, positions.subarray(first, last), values.subarray(first, last));
    }
    this.#begin(major[last]);
    this.#wait(positions.subarray(last), values.subarray(last));
    yield* this.#relieve();
  }

  *finish(): Generator<SortedEntries> {
    if (this.#waitingLength === 0) return;
    const part = this.lists(Int32Array.of(0, this.#waitingLength), ...this.#joined());
    this.#checkGiven(part.positions[0]);
    yield part;
  }

  #begin(major: number | bigint): void {
    this.#major = major;
    this.#given = -1;
  }

  #wait(positions: Uint32Array, values: NumberArray): void {
    this.#waiting.push({ positions: positions.slice(), values: values.slice() });
    this.#waitingLength += positions.length;
  }

  /** Yields the buffered part of a very long row if it has been sorted so far. */
  *#relieve(): Generator<SortedEntries> {
    if (this.#waitingLength <= MAX_WAITING) return;
    const [positions, values] = this.#joined();
    const part = this.lists(Int32Array.of(0, positions.length), positions, values);
    this.#checkGiven(part.positions[0]);
    this.#given = part.positions[part.positions.length - 1];
    yield part;
  }

  #joined(): readonly [Uint32Array, NumberArray] {
    const parts = this.#waiting;
    const length = this.#waitingLength;
    this.#waiting = [];
    this.#waitingLength = 0;
    const [one] = parts;
    if (parts.length === 1) return [one.positions, one.values];
    const positions = new Uint32Array(length);
    const values = createZeros(one.values, length);
    let at = 0;
    for (const part of parts) {
      positions.set(part.positions, at);
      viewAsBytes(values).set(viewAsBytes(part.values), at * values.BYTES_PER_ELEMENT);
      at += part.positions.length;
    }
    return [positions, values];
  }

  #checkGiven(position: number): void {
    if (position >= this.#given) return;
    throw new InvalidInputError(
      `${this.#majorName} ${this.#major} has more than ${MAX_WAITING} entries, which are not sorted: ${position} comes after ${this.#given}; take "order" out of the metadata to have all entries sorted`,
      { element: this.#element },
    );
  }

  #checkRange(positions: Uint32Array): void {
    for (const position of positions) {
      if (position <= LARGEST_SORTED) continue;
      throw new UnsupportedError(`sorting positions up to ${position}; at most ${LARGEST_SORTED} are sorted`, {
        element: this.#element,
      });
    }
  }
}

function unsigned(minor: IntArray): Uint32Array {
  if (minor instanceof Uint32Array) return minor;
  if (minor instanceof Int32Array) return new Uint32Array(minor.buffer, minor.byteOffset, minor.length);
  const positions = convertIndices(minor, UINT32);
  if (positions instanceof Uint32Array) return positions;
  throw new TypeError("unsigned integers were asked for");
}

function take(positions: Uint32Array, places: Int32Array): Uint32Array {
  const out = new Uint32Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = positions[places[i]];
  return out;
}

/** Returns the starts of runs of equal values, followed by the end of the last run. */
function runsOf(values: IntArray): Int32Array {
  const starts = new Int32Array(values.length + 1);
  const runs = values instanceof Int32Array ? runs32(values, starts) : runsOfAny(values, starts);
  starts[runs] = values.length;
  return starts.subarray(0, runs + 1);
}

/** Like `runsOf`, but faster because it handles only one array type. */
function runs32(values: Int32Array, starts: Int32Array): number {
  let runs = 0;
  for (let i = 0; i < values.length; i++) if (i === 0 || values[i] !== values[i - 1]) starts[runs++] = i;
  return runs;
}

function runsOfAny(values: IntArray, starts: Int32Array): number {
  let runs = 0;
  for (let i = 0; i < values.length; i++) if (i === 0 || values[i] !== values[i - 1]) starts[runs++] = i;
  return runs;
}
