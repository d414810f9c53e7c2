/** Casts columns of ragged arrays to their common shape. */

import { type Column, emptyColumn, type PrimitiveColumn, withValidity } from "../arrow/column.js";
import { takeColumn } from "../arrow/take.js";
import { type ArrowType, describeArrowType } from "../arrow/type.js";
import { decodeDictionary } from "../arrow/written-values.js";
import { UnsupportedError } from "../model/errors.js";
import { castNumbers, createFilledColumn, type Rounding } from "./cast-numbers.js";
import { isNumericType, type NumericType } from "./common-type.js";
import { findUnionMember, getShapeArrowType, type RaggedShape, type RaggedValues } from "./ragged-shapes.js";

/** Returns `length` nulls. */
export function createMissingRagged(shape: RaggedShape, length: number): Column {
  return takeColumn(emptyColumn(getShapeArrowType(shape)), new Int32Array(length).fill(-1));
}

/**
 * Converts a column from the shape `from` to the shape `to`, which `commonShape` derived from `from` and other shapes.
 * @throws {InvalidInputError} for an integer that a float would round, unless losses are allowed.
 */
export function castRagged(column: Column, from: RaggedShape, to: RaggedShape, rounding: Rounding): Column {
  if (column.layout === "dictionary") return castRagged(decodeDictionary(column), from, to, rounding);
  const type = getShapeArrowType(to);
  if (from.values.kind === "nothing") return createMissingRagged(to, column.length);
  if (to.values.kind === "union") return castToUnion(column, from, to, to.values.contents, rounding);
  const { length, validity } = column;
  switch (to.values.kind) {
    case "numbers":
      return withValidity(castStored(column, type, rounding), validity);
    case "text":
    case "nothing":
      if (column.type.id === type.id) return column;
      throw new UnsupportedError(`${describeArrowType(column.type)} does not become ${describeArrowType(type)}`);
    case "list": {
      if (type.id !== "List") throw mismatch(column);
      const child = (own: Column) => castRagged(own, itemOf(from.values), itemOf(to.values), rounding);
      if (column.layout === "list") return { ...column, type, child: child(column.child) };
      if (column.layout !== "fixed-size-list") throw mismatch(column);
      const { size } = column.type;
      const offsets = Int32Array.from({ length: length + 1 }, (_, i) => i * size);
      return { layout: "list", type, length, validity, offsets, child: child(column.child) };
    }
    case "regular":
      if (column.layout !== "fixed-size-list" || type.id !== "FixedSizeList") throw mismatch(column);
      return { ...column, type, child: castRagged(column.child, itemOf(from.values), itemOf(to.values), rounding) };
    case "record": {
      if (column.layout !== "struct" || from.values.kind !== "record" || type.id !== "Struct") throw mismatch(column);
      const own = from.values.fields;
      const places = new Map(column.type.fields.map(({ name }, place) => [name, place]));
      const children = [...to.values.fields].map(([name, shape]) => {
        const [place, mine] = [places.get(name), own.get(name)];
        if (place === undefined || mine === undefined) throw mismatch(column);
        return castRagged(column.children[place], mine, shape, rounding);
      });
      return { ...column, type, children };
    }
    default:
      return to.values satisfies never;
  }
}

function itemOf(values: RaggedValues): RaggedShape {
  if (values.kind === "list" || values.kind === "regular") return values.item;
  throw new TypeError(`${values.kind} has no items`);
}

/** Converts each kind of value to the first kind in the union that it can be merged with. */
function castToUnion(
  column: Column,
  from: RaggedShape,
  to: RaggedShape,
  contents: readonly RaggedValues[],
  rounding: Rounding,
): Column {
  const type = getShapeArrowType(to);
  if (type.id !== "DenseUnion") throw mismatch(column);
  const cast = (own: Column, values: RaggedValues, id: number) =>
    castRagged(own, { option: from.option, values }, { option: to.option, values: contents[id] }, rounding);
  const empty = type.fields.map((one) => emptyColumn(one.type));
  const { length } = column;
  if (from.values.kind !== "union") {
    const id = findUnionMember(contents, from.values);
    const children = empty.with(id, cast(column, from.values, id));
    const offsets = Int32Array.from({ length }, (_, i) => i);
    return {
      ...{ layout: "union", type, length, validity: null },
      ...{ typeIds: new Int8Array(length).fill(id), offsets, children },
    };
  }
  if (column.layout !== "union") throw mismatch(column);
  const own = from.values.contents;
  const ids = own.map((values) => findUnionMember(contents, values));
  // If two kinds became the same kind in the result, they would share a child.
  if (new Set(ids).size < ids.length) {
    throw new UnsupportedError(`${describeArrowType(column.type)} does not become ${describeArrowType(type)}`);
  }
  let children = empty;
  for (const [i, id] of ids.entries()) children = children.with(id, cast(column.children[i], own[i], id));
  const typeIds = Int8Array.from(column.typeIds.subarray(0, length), (id) => ids[id]);
  return { ...column, type, typeIds, children };
}

/** Casts numbers to another type. Real numbers that become complex get the imaginary part 0. */
export function castStored(column: Column, type: ArrowType, rounding: Rounding): Column {
  if (describeArrowType(column.type) === describeArrowType(type)) return column;
  if (isNumericType(type)) return castNumbers(column, type, rounding);
  if (type.id !== "Struct") throw mismatch(column);
  const part = type.fields[0].type;
  if (!isNumericType(part)) throw mismatch(column);
  const [real, imag] =
    column.layout === "struct"
      ? column.children.map((child) => castNumbers(child, part, rounding))
      : [{ ...castNumbers(column, part, rounding), validity: null }, zeros(column.length, part)];
  return { layout: "struct", type, length: column.length, validity: column.validity, children: [real, imag] };
}

function zeros(length: number, type: NumericType): PrimitiveColumn {
  return createFilledColumn(length, { type, fill: 0 });
}

function mismatch(column: Column): TypeError {
  return new TypeError(`${describeArrowType(column.type)} has another shape`);
}
