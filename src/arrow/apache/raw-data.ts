/** apache-arrow's data from buffers that lie ready; its own makers copy, count or guess. */

import { Data, type DataType, type Vector } from "apache-arrow";

export interface RawBuffers {
  readonly offsets?: Int32Array | BigInt64Array;
  readonly values?: ArrayBufferView;
  readonly typeIds?: Int8Array;
  /** Undefined where nothing is missing. */
  readonly bitmap?: Uint8Array | undefined;
}

const NO_BITMAP = new Uint8Array(0);

export function rawData(
  type: DataType,
  length: number,
  nullCount: number,
  { offsets, values, typeIds, bitmap }: RawBuffers,
  children: Data[] = [],
  dictionary?: Vector,
): Data {
  return new Data(type, 0, length, nullCount, [offsets, values, bitmap ?? NO_BITMAP, typeIds], children, dictionary);
}
