/** Reads entries of genes, a few at a time, and caches them: other categories or selections need no new reads. */

import type { Connection } from "../data/connection.js";
import { plainNumbers } from "../data/plain-numbers.js";
import type { GeneEntries } from "./group-values.js";

/** Maximum bytes of cached entries. */
const KEEP = 128 * 2 ** 20;
const AT_ONCE = 3;

export class GeneReads {
  readonly #connection: Connection;
  readonly #input: string;
  /** Cached entries, the least recently used first. */
  readonly #kept = new Map<string, GeneEntries>();
  #bytes = 0;

  constructor(connection: Connection, input: string) {
    this.#connection = connection;
    this.#input = input;
  }

  /**
   * Reads genes of a matrix, and reports each gene as soon as it is complete.
   * @param arrived receives its index in `positions`, and its entries.
   */
  async read(
    matrix: string,
    positions: readonly number[],
    arrived: (index: number, entries: GeneEntries) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let next = 0;
    const work = async () => {
      while (next < positions.length) {
        const index = next++;
        arrived(index, await this.#entries(matrix, positions[index], signal));
        signal.throwIfAborted();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #entries(matrix: string, position: number, signal: AbortSignal): Promise<GeneEntries> {
    const key = `${position} ${matrix}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const entries = await readEntries(this.#connection, this.#input, matrix, position, signal);
    this.#kept.set(key, entries);
    this.#bytes += sizeOf(entries);
    for (const [oldest, { rows, values }] of this.#kept) {
      if (this.#bytes <= KEEP) break;
      this.#kept.delete(oldest);
      this.#bytes -= sizeOf({ rows, values });
    }
    return entries;
  }
}

function sizeOf({ rows, values }: GeneEntries): number {
  return rows.byteLength + values.byteLength;
}

async function readEntries(
  connection: Connection,
  input: string,
  matrix: string,
  position: number,
  signal: AbortSignal,
): Promise<GeneEntries> {
  const chunks: { readonly places: ArrayLike<number | bigint>; readonly found: ArrayLike<number | bigint> }[] = [];
  let count = 0;
  for await (const batch of connection.batches({ call: "gene", input, matrix, position }, { signal })) {
    const [rows, values] = [batch.getChild("row"), batch.getChild("value")];
    for (const [index, data] of (rows?.data ?? []).entries()) {
      const places: ArrayLike<number | bigint> = data.values.subarray(0, data.length);
      const chunk = values?.data[index];
      const found = chunk === undefined ? [] : plainNumbers(chunk);
      chunks.push({ places, found });
      count += data.length;
    }
  }
  const entries = { rows: new Uint32Array(count), values: new Float64Array(count) };
  let at = 0;
  for (const { places, found } of chunks) {
    for (let index = 0; index < places.length; index++, at++) {
      entries.rows[at] = Number(places[index]);
      entries.values[at] = Number(found[index]);
    }
  }
  return entries;
}
