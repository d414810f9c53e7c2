/** Stored arrays one after the other along the first dimension, as one array. */

import { joinValues } from "../../kernels/values/join-values.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import { checkRows } from "../picked/row-runs.js";
import type { Capabilities, StoredArray } from "../tree/container.js";
import { areOneNumber } from "../tree/stored-chunks.js";
import { type JoinedPart, joinedChunks } from "./joined-chunks.js";

/** Joins arrays of numbers; null where their types or the shapes of their rows differ. */
export function joinedArray(arrays: readonly StoredArray[]): StoredArray | null {
  const [{ type, shape }] = arrays;
  const rest = shape?.slice(1).join();
  const fit = arrays.every((one) => areOneNumber(type, one.type) && one.shape && one.shape.length > 0);
  return fit && arrays.every((one) => one.shape?.slice(1).join() === rest) ? new JoinedArray(arrays) : null;
}

export class JoinedArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: StoredArray["attributes"] = new Map();
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: StoredArray["chunks"];
  readonly capabilities?: Capabilities;
  readonly #parts: readonly JoinedPart[];

  constructor(arrays: readonly StoredArray[]) {
    const [first] = arrays;
    this.path = first.path;
    this.id = `${first.id}+${arrays.length - 1}`;
    this.type = first.type;
    let rows = 0;
    this.#parts = arrays.map((array) => {
      const part = { array, start: rows, rows: array.shape?.[0] ?? 0 };
      rows += part.rows;
      return part;
    });
    this.shape = [rows, ...(first.shape ?? []).slice(1)];
    this.chunks = first.chunks;
    const storedChunks = joinedChunks(this, this.#parts);
    if (storedChunks !== null) this.capabilities = { storedChunks };
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    checkRows(start, end, this.shape[0], this.path);
    const values: StoredValues[] = [];
    for (const { array, start: first, rows } of this.#parts) {
      const [from, to] = [Math.max(start, first) - first, Math.min(end, first + rows) - first];
      if (to > from) values.push(await array.read(from, to, options));
    }
    return values.length === 0 ? this.#parts[0].array.read(0, 0, options) : joinValues(values);
  }
}
