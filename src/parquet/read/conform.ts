/** Converts the engine's columns to the types of the file's schema. */

import { Data, DataType, type Dictionary, TimeUnit, util } from "apache-arrow";
import { createRawData } from "../../arrow/apache/raw-data.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import type { Categories } from "./categories.js";

export type CategoriesAt = (place: ColumnLocation) => Categories;

/**
 * Converts a column of the engine to `type`.
 * @param place position of the column in the schema.
 * @throws {UnsupportedError} if the engine returns a type that cannot be converted.
 */
export function conformColumn(data: Data, type: DataType, place: ColumnLocation, categoriesAt: CategoriesAt): Data {
  const { path } = place;
  if (DataType.isDictionary(type)) return recoded(data, type, path, categoriesAt(place));
  const found: DataType = data.type;
  const children = type.children ?? [];
  if (children.length > 0 && found.typeId === type.typeId && data.children.length === children.length) {
    const own = data.children.map((child, i) =>
      conformColumn(child, children[i].type, getChildColumnLocation(place, i, children[i].name), categoriesAt),
    );
    return new Data(type, data.offset, data.length, data.nullCount, data.buffers, own);
  }
  if (util.compareTypes(found, type)) return data;
  if (isTimestampOf(found, TimeUnit.MILLISECOND) && isTimestampOf(type, TimeUnit.SECOND)) {
    return inSeconds(data, type, path);
  }
  throw new UnsupportedError(`${path} is of the type ${type}, which is read from Parquet as ${found}`);
}

function isTimestampOf(type: DataType, unit: TimeUnit): boolean {
  return DataType.isTimestamp(type) && type.unit === unit;
}

function inSeconds(data: Data, type: DataType, path: string): Data {
  const { values } = data;
  const out = new BigInt64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    if (!data.getValid(i)) continue;
    const value: bigint = values[i];
    if (value % 1000n !== 0n)
      throw new InvalidDataError(`${path} has ${value} milliseconds, which are no whole seconds`);
    out[i] = value / 1000n;
  }
  const { length, nullCount, nullBitmap } = data;
  return createRawData(type, length, nullCount, { values: out, bitmap: nullBitmap });
}

function recoded(data: Data, type: Dictionary, path: string, categories: Categories): Data {
  const { length } = data;
  const { dictionary } = data;
  const map = dictionary === undefined ? null : categories.codesOf(dictionary, path);
  const plain = dictionary === undefined ? categories.codesOfValues(data, path) : null;
  const codes = new type.indices.ArrayType(length);
  const bitmap = new Uint8Array((length + 7) >> 3);
  const given = data.values;
  const most = type.indices.isSigned ? 2 ** (type.indices.bitWidth - 1) : 2 ** type.indices.bitWidth;
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    const here = data.getValid(i) ? Number(plain === null ? given[i] : plain[i]) : -1;
    const code = map === null || here < 0 ? here : map[here];
    if (code < 0) {
      nullCount++;
      continue;
    }
    if (code >= most) throw new InvalidDataError(`${path} has the code ${code}, its codes have ${type.indices}`);
    codes[i] = code;
    bitmap[i >> 3] |= 1 << (i & 7);
  }
  const validity = nullCount === 0 ? undefined : bitmap;
  return createRawData(type, length, nullCount, { values: codes, bitmap: validity }, [], categories.values);
}

/** The location of a column in a schema. Its path is not unique, since names may repeat or contain dots. */
export interface ColumnLocation {
  /** `column`, or `column.item` within nested types. */
  readonly path: string;
  /** The positions of the fields that lead to the column. */
  readonly key: string;
}

export function getTopColumnLocation(at: number, name: string): ColumnLocation {
  return { path: name, key: String(at) };
}

/** Returns the location of child `at` of a column. */
export function getChildColumnLocation({ path, key }: ColumnLocation, at: number, name: string): ColumnLocation {
  return { path: `${path}.${name}`, key: `${key}.${at}` };
}
