import { decodeFloat16 } from "../../../kernels/values/number-bits.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type StoredType, type StoredValues } from "../../../model/stored.js";
import type { WrittenAttribute, WrittenAttributes } from "../../tree/container-writer.js";
import { encodeFloatJson, type JsonValue } from "./json-text.js";
import { isBooleanEnum } from "./zarr-type.js";

export function toZarrAttributesJson(attributes: WrittenAttributes | undefined): Map<string, JsonValue> {
  const members = new Map<string, JsonValue>();
  for (const [name, attribute] of attributes ?? []) members.set(name, toZarrAttributeJson(name, attribute));
  return members;
}

/**
 * Returns the JSON value of an attribute: text, integers with all digits, floats, booleans, or (nested) lists of these;
 * null for a null dataspace.
 * @throws {UnsupportedError} for types that JSON cannot represent.
 * @throws {InvalidDataError} for text that is not UTF-8.
 * @throws {TypeError} if the values do not fit the shape.
 */
export function toZarrAttributeJson(name: string, { type, shape, values }: WrittenAttribute): JsonValue {
  if (shape === null || values === null) return null;
  const items = itemsOf(name, type, values);
  const count = countElements(shape);
  if (items.length !== count) throw new TypeError(`attribute ${name} has ${items.length} values, its shape ${count}`);
  return nested(items, shape, 0, 0);
}

/** Returns a part of `items` as nested lists. The part starts at `start` and spans the dimensions from `axis` on. */
function nested(items: readonly JsonValue[], shape: readonly number[], axis: number, start: number): JsonValue {
  if (axis === shape.length) return items[start];
  const each = countElements(shape.slice(axis + 1));
  return Array.from({ length: shape[axis] }, (_, i) => nested(items, shape, axis + 1, start + i * each));
}

function itemsOf(name: string, type: StoredType, values: StoredValues): JsonValue[] {
  if (values.kind === "variable" && type.kind === "text") {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const { offsets, bytes } = values;
    return Array.from({ length: offsets.length - 1 }, (_, i) => {
      try {
        return decoder.decode(bytes.subarray(offsets[i], offsets[i + 1]));
      } catch (cause) {
        throw new InvalidDataError(`attribute ${JSON.stringify(name)} is not UTF-8`, { cause });
      }
    });
  }
  if (values.kind === "fixed") {
    const numbers: (number | bigint)[] = Array.from<number | bigint>(values.values);
    if (type.kind === "bool" || (type.kind === "enum" && isBooleanEnum(type))) {
      return numbers.map((value) => Number(value) !== 0);
    }
    if (type.kind === "int") return numbers;
    if (type.kind === "float") {
      return numbers.map((value) => encodeFloatJson(type.bits === 16 ? decodeFloat16(Number(value)) : Number(value)));
    }
  }
  throw new UnsupportedError(`attribute ${JSON.stringify(name)} is of type ${type.kind}, which JSON has nothing for`);
}
