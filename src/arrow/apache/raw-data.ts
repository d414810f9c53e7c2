/**
 * Makes apache-arrow's `Data` from existing buffers, or without values. The library's own `makeData` copies buffers,
 * counts nulls or guesses.
 */

import { Data, DataType, Vector } from "apache-arrow";

export interface RawBuffers {
  readonly offsets?: Int32Array | BigInt64Array;
  readonly values?: ArrayBufferView;
  readonly typeIds?: Int8Array;
  /** Undefined if no value is null. */
  readonly bitmap?: Uint8Array | undefined;
}

const NO_BITMAP = new Uint8Array(0);

export function createRawData(
  type: DataType,
  length: number,
  nullCount: number,
  { offsets, values, typeIds, bitmap }: RawBuffers,
  children: Data[] = [],
  dictionary?: Vector,
): Data {
  return new Data(type, 0, length, nullCount, [offsets, values, bitmap ?? NO_BITMAP, typeIds], children, dictionary);
}

export function emptyData(type: DataType): Data {
  if (DataType.isDictionary(type)) {
    const dictionary = new Vector([emptyData(type.dictionary)]);
    return createRawData(type, 0, 0, { values: new type.indices.ArrayType(0) }, [], dictionary);
  }
  const children = (type.children ?? []).map((child) => emptyData(child.type));
  if (DataType.isList(type) || DataType.isMap(type))
    return createRawData(type, 0, 0, { offsets: new Int32Array(1) }, children);
  if (DataType.isLargeList(type)) return createRawData(type, 0, 0, { offsets: new BigInt64Array(1) }, children);
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    return createRawData(type, 0, 0, { offsets: new Int32Array(1), values: new Uint8Array(0) });
  }
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    return createRawData(type, 0, 0, { offsets: new BigInt64Array(1), values: new Uint8Array(0) });
  }
  if (DataType.isUnion(type)) {
    return createRawData(
      type,
      0,
      0,
      { offsets: DataType.isDenseUnion(type) ? new Int32Array(0) : undefined, typeIds: new Int8Array(0) },
      children,
    );
  }
  if (DataType.isNull(type) || DataType.isStruct(type) || DataType.isFixedSizeList(type)) {
    return createRawData(type, 0, 0, {}, children);
  }
  return createRawData(type, 0, 0, { values: new type.ArrayType(0) });
}

/**
 * Creates rows without values for a column of a flat type.
 * @param like rows of the column, whose type and dictionary the new rows get.
 */
export function createNullData({ type, dictionary }: Data, length: number): Data {
  const bitmap = new Uint8Array(Math.ceil(length / 8));
  if (DataType.isDictionary(type)) {
    return createRawData(type, length, length, { values: new type.indices.ArrayType(length), bitmap }, [], dictionary);
  }
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    return createRawData(type, length, length, {
      offsets: new Int32Array(length + 1),
      values: new Uint8Array(0),
      bitmap,
    });
  }
  if (DataType.isNull(type)) return createRawData(type, length, length, {});
  if (DataType.isBool(type)) return createRawData(type, length, length, { values: bitmap.slice(), bitmap });
  const width = DataType.isFixedSizeBinary(type) ? type.byteWidth : 1;
  return createRawData(type, length, length, { values: new type.ArrayType(length * width), bitmap });
}
