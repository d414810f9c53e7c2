/** Fragments as columns: `chr, start, end, cell_id`, and `count` where there is one (docs/mapping.md). */

import type { Column, DictionaryColumn, PrimitiveColumn } from "./column.js";
import { type ArrowField, type ArrowType, field, INT32, UTF8 } from "./type.js";

const UINT32: ArrowType & { id: "Int" } = { id: "Int", bits: 32, signed: false };
const NAME: ArrowType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };

/** Places of the fields. */
export const CHR = 0;
export const START = 1;
export const END = 2;
export const CELL = 3;
export const COUNT = 4;

/** @param counted whether the fragments say how many reads they stand for. */
export function fragmentFields(counted: boolean): readonly ArrowField[] {
  const fields = [
    field("chr", NAME, false),
    field("start", UINT32, false),
    field("end", UINT32, false),
    field("cell_id", NAME, false),
  ];
  return counted ? [...fields, field("count", UINT32, false)] : fields;
}

/** Positions in the names of chromosomes or cells, which are within them; the memory is taken as it is. */
export function nameColumn(indices: Int32Array, names: Column): DictionaryColumn {
  const type = { id: "Dictionary", index: INT32, value: names.type, ordered: false } as const;
  return { layout: "dictionary", type, length: indices.length, validity: null, indices, dictionary: names };
}

/** Starts, ends or counts; the memory is taken as it is. */
export function positionColumn(values: Uint32Array): PrimitiveColumn {
  return { layout: "primitive", type: UINT32, length: values.length, validity: null, values };
}
