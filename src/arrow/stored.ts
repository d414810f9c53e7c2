/**
 * Converts flat stored values of any type, including nullable ones, to a column. All other files in this folder build
 * on it.
 */

import { convertMaskToValidity, findNonBoolean, packBits } from "../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedError } from "../model/errors.js";
import {
  countElements,
  type FixedValues,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../model/stored.js";
import { type Column, type StructColumn, withValidity } from "./column.js";
import { createFixedSizeLists } from "./dense.js";
import { getEnumArrowType, isOptionalEnum, toEnumColumn } from "./enum.js";
import { getArrowTimestampUnit, toDateColumn, toTemporalColumn } from "./temporal.js";
import { createBinaryColumn, type TextFallback, toTextColumn } from "./text.js";
import { type ArrowType, BINARY, BOOL, createField, DATE, mayBeNull, nestType, UTF8 } from "./type.js";

/**
 * Returns the Arrow type of a stored type (docs/mapping.md, section 2).
 * @throws {UnsupportedError} if Arrow has no such type (float128, picoseconds, …).
 */
export function getStoredArrowType(type: StoredType): ArrowType {
  switch (type.kind) {
    case "bool":
      return BOOL;
    case "int":
      if (type.isTime === true) throw new UnsupportedError("values of type HDF5 time have no Arrow type");
      return { id: "Int", bits: type.bits, signed: type.signed };
    case "float":
      return { id: "Float", bits: type.bits };
    case "complex": {
      const part: ArrowType = { id: "Float", bits: type.bits === 64 ? 32 : 64 };
      return { id: "Struct", fields: [createField("real", part, false), createField("imag", part, false)] };
    }
    case "text":
      return UTF8;
    case "bytes":
      return type.width === null ? BINARY : { id: "FixedSizeBinary", width: type.width };
    case "enum":
      return getEnumArrowType(type);
    case "datetime":
      if (type.isDate) return DATE;
      return { id: "Timestamp", unit: getArrowTimestampUnit(type.unit), timezone: type.timezone };
    case "timedelta":
      return { id: "Duration", unit: getArrowTimestampUnit(type.unit) };
    case "record":
      return {
        id: "Struct",
        fields: type.fields.map((one) => {
          const inner = nestType(getStoredArrowType(one.type), one.shape);
          return createField(one.name, inner, one.shape.length === 0 && isStoredTypeNullable(one.type));
        }),
      };
    case "sequence": {
      const inner = nestType(getStoredArrowType(type.item), type.shape ?? []);
      return {
        id: "List",
        item: createField("item", inner, (type.shape ?? []).length === 0 && isStoredTypeNullable(type.item)),
      };
    }
    case "reference":
      throw new UnsupportedError("object references have no Arrow type");
    case "unsupported":
      throw new UnsupportedError(`values of type ${type.name} have no Arrow type`);
    default:
      return type satisfies never;
  }
}

/**
 * True if values of this type can be null. Nested types are not checked, because that would double the time per level.
 */
export function isStoredTypeNullable(type: StoredType): boolean {
  if (type.kind === "record" || type.kind === "sequence") return false;
  return mayBeNull(getStoredArrowType(type)) || (type.kind === "enum" && isOptionalEnum(type));
}

/**
 * Makes a column of `length` stored values.
 * @throws {InvalidDataError} for booleans other than 0 and 1, enum values without a member, and text that is not UTF-8.
 */
export function createStoredColumn(type: StoredType, values: StoredValues, length: number, text: TextFallback): Column {
  switch (type.kind) {
    case "bool":
      return boolColumn(fixed(values), length);
    case "int":
      return {
        layout: "primitive",
        type: { id: "Int", bits: type.bits, signed: type.signed },
        length,
        validity: null,
        values: fixed(values).values,
      };
    case "float":
      return {
        layout: "primitive",
        type: { id: "Float", bits: type.bits },
        length,
        validity: null,
        values: fixed(values).values,
      };
    case "complex":
      return complexColumn(fixed(values), length);
    case "text":
      return toTextColumn(variable(values), text);
    case "bytes":
      return type.width === null
        ? createBinaryColumn(variable(values))
        : {
            layout: "primitive",
            type: { id: "FixedSizeBinary", width: type.width },
            length,
            validity: null,
            values: fixed(values).values,
          };
    case "enum":
      return toEnumColumn(type, fixed(values), length);
    case "datetime":
    case "timedelta": {
      const ticks = fixed(values).values;
      if (!(ticks instanceof BigInt64Array)) throw new TypeError("times are stored as BigInt64Array");
      if (type.isDate) return toDateColumn(ticks);
      const column = toTemporalColumn(type.kind, type.unit, type.step, ticks);
      const { timezone } = type;
      if (timezone === undefined) return column;
      return { ...column, type: { id: "Timestamp", unit: getArrowTimestampUnit(type.unit), timezone } };
    }
    case "record": {
      const arrow = getStoredArrowType(type);
      if (values.kind !== "record" || arrow.id !== "Struct") throw new TypeError("a record has record values");
      const children = type.fields.map((one, i) => {
        const flat = createStoredColumn(one.type, values.fields[i], length * countElements(one.shape), text);
        return createFixedSizeLists(flat, one.shape, length);
      });
      return { layout: "struct", type: arrow, length, validity: null, children };
    }
    case "sequence": {
      const arrow = getStoredArrowType(type);
      if (values.kind !== "sequence" || arrow.id !== "List") throw new TypeError("a sequence has sequence values");
      const { offsets } = values;
      const items = offsets[offsets.length - 1];
      const flat = createStoredColumn(type.item, values.values, items * countElements(type.shape ?? []), text);
      return {
        layout: "list",
        type: arrow,
        length,
        validity: null,
        offsets,
        child: createFixedSizeLists(flat, type.shape ?? [], items),
      };
    }
    case "reference":
    case "unsupported":
      getStoredArrowType(type);
      throw new UnsupportedError(`values of type ${type.kind} have no Arrow type`);
    default:
      return type satisfies never;
  }
}

function boolColumn({ values }: FixedValues, length: number): Column {
  const bytes = viewAsBytes(values);
  const wrong = findNonBoolean(bytes);
  if (wrong >= 0) throw new InvalidDataError(`boolean ${wrong} of ${length} is stored as ${bytes[wrong]}, not 0 or 1`);
  return { layout: "primitive", type: { id: "Bool" }, length, validity: null, values: packBits(bytes) };
}

function complexColumn({ values }: FixedValues, length: number): StructColumn {
  if (!(values instanceof Float32Array || values instanceof Float64Array)) {
    throw new TypeError("complex values are stored as interleaved floats");
  }
  const double = values instanceof Float64Array;
  const real = everySecond(values, length, 0);
  const imag = everySecond(values, length, 1);
  const part = { id: "Float", bits: double ? 64 : 32 } as const;
  const column = (numbers: Float32Array | Float64Array): Column => ({
    layout: "primitive",
    type: part,
    length,
    validity: null,
    values: numbers,
  });
  return {
    layout: "struct",
    type: { id: "Struct", fields: [createField("real", part, false), createField("imag", part, false)] },
    length,
    validity: null,
    children: [column(real), column(imag)],
  };
}

/**
 * Copies every second value. Float32 values are copied as integers, because copying floats would change signalling
 * NaNs.
 */
function everySecond(values: Float32Array | Float64Array, length: number, first: 0 | 1): Float32Array | Float64Array {
  if (values instanceof Float64Array) {
    const out = new Float64Array(length);
    for (let i = 0; i < length; i++) out[i] = values[2 * i + first];
    return out;
  }
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint32Array(length);
  for (let i = 0; i < length; i++) out[i] = words[2 * i + first];
  return new Float32Array(out.buffer);
}

function fixed(values: StoredValues): FixedValues {
  if (values.kind !== "fixed") throw new TypeError(`values of fixed width expected, not ${values.kind}`);
  return values;
}

function variable(values: StoredValues): VariableValues {
  if (values.kind !== "variable") throw new TypeError(`values of variable width expected, not ${values.kind}`);
  return values;
}

/**
 * Makes a column of values whose validity is the inverse of the mask (1 = missing). The values under the mask are
 * dropped, because pandas leaves arbitrary values there.
 */
export function createNullableColumn(values: Column, mask: Uint8Array): Column {
  if (mask.length !== values.length) {
    throw new InvalidDataError(`mask has ${mask.length} values, values have ${values.length}`);
  }
  const wrong = findNonBoolean(mask);
  if (wrong >= 0) throw new InvalidDataError(`mask holds ${mask[wrong]} at ${wrong}, neither 0 nor 1`);
  return withValidity(values, convertMaskToValidity(mask));
}
