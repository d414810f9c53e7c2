/** Dictionaries of several streams of one table: what has the same values is one vector, as whoever compares expects. */

import { type Data, type DataType, Vector } from "apache-arrow";

/** Older ones are forgotten: a stream may bring a new dictionary with every batch. */
const KEPT = 8;

export class KnownDictionaries {
  readonly #vectors = new Map<bigint, Vector[]>();

  /** A vector of `parts`: one that was given out before where their values are the same. */
  shared(id: bigint, parts: readonly Data[]): Vector {
    const known = this.#vectors.get(id) ?? [];
    const same = known.find(
      ({ data }) => data.length === parts.length && data.every((one, i) => isSame(one, parts[i])),
    );
    if (same !== undefined) return same;
    const vector = new Vector<DataType>([...parts]);
    this.#vectors.set(id, [vector, ...known].slice(0, KEPT));
    return vector;
  }
}

/** Whether the same bytes stand in the same buffers; values that are equal in another form count as others. */
function isSame(one: Data, other: Data): boolean {
  if (one === other) return true;
  return (
    String(one.type) === String(other.type) &&
    one.length === other.length &&
    one.offset === other.offset &&
    one.nullCount === other.nullCount &&
    hasSameBytes(one.values, other.values) &&
    hasSameBytes(one.valueOffsets, other.valueOffsets) &&
    hasSameBytes(one.nullBitmap, other.nullBitmap) &&
    hasSameBytes(one.typeIds, other.typeIds) &&
    one.dictionary === other.dictionary &&
    one.children.length === other.children.length &&
    one.children.every((child, i) => isSame(child, other.children[i]))
  );
}

function hasSameBytes(one: unknown, other: unknown): boolean {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return one === other;
  if (one.byteLength !== other.byteLength) return false;
  const [a, b] = [one, other].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return a.every((byte, i) => byte === b[i]);
}
