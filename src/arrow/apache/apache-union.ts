/** apache-arrow's unions of both modes -> dense ones, whose type ids are the positions of their kinds. */

import { type Data, DataType } from "apache-arrow";
import { viewLike } from "../../model/stored.js";
import type { Column, UnionColumn } from "../column.js";
import type { ArrowType } from "../type.js";
import { BufferProblem, bytesIn } from "./apache-buffers.js";

type UnionType = Extract<ArrowType, { id: "DenseUnion" }>;

/**
 * @param convert makes a column of a child.
 * @throws {BufferProblem} for a type id that the union does not have, and an offset outside of its child.
 */
export function unionColumn(
  data: Data,
  type: UnionType,
  convert: (child: Data, type: ArrowType) => Column,
): UnionColumn {
  const { length, children } = data;
  if (children.length !== type.fields.length) {
    throw new BufferProblem(`has ${children.length} children, ${type.fields.length} are needed`);
  }
  const typeIds = positionsOf(data, type.fields.length);
  const places = placesOf(data);
  const first = children.map(() => Number.POSITIVE_INFINITY);
  const last = children.map(() => -1);
  for (let i = 0; i < length; i++) {
    const [id, place] = [typeIds[i], places === null ? i : places[i]];
    if (!(place >= 0 && place < children[id].length)) {
      throw new BufferProblem(`has the offset ${place} at ${i}, its child ${children[id].length} rows`);
    }
    if (place < first[id]) first[id] = place;
    if (place > last[id]) last[id] = place;
  }
  // A slice has the whole children.
  const used = children.map((child, id) => {
    const start = last[id] < 0 ? 0 : first[id];
    return convert(child.slice(start, last[id] + 1 - start), type.fields[id].type);
  });
  const offsets = Int32Array.from(typeIds, (id, i) => (places === null ? i : places[i]) - first[id]);
  return { layout: "union", type, length, validity: null, typeIds, offsets, children: used };
}

/** The position of each row's kind. */
function positionsOf(data: Data, kinds: number): Int8Array {
  const { type, length } = data;
  const given = viewLike(new Int8Array(), bytesIn(data.typeIds));
  if (given.length < length) throw new BufferProblem(`should have ${length} type ids, there are ${given.length}`);
  const ids: readonly number[] = DataType.isUnion(type) ? Array.from(type.typeIds, Number) : [];
  const positions = new Map(ids.slice(0, kinds).map((id, position) => [id, position]));
  const out = new Int8Array(length);
  for (let i = 0; i < length; i++) {
    const position = positions.get(Number(given[i]));
    if (position === undefined) throw new BufferProblem(`has the type id ${given[i]} at ${i}, not among ${ids}`);
    out[i] = position;
  }
  return out;
}

/** The row of its child for each row; null: its own number. */
function placesOf({ type, length, valueOffsets }: Data): Int32Array | null {
  if (!DataType.isDenseUnion(type)) return null;
  const places = viewLike(new Int32Array(), bytesIn(valueOffsets));
  if (places.length < length) throw new BufferProblem(`should have ${length} offsets, there are ${places.length}`);
  return places instanceof Int32Array ? places : null;
}
