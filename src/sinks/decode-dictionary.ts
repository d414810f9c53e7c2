/** A dictionary column as a plain one, for engines that cannot hold a dictionary of these values. */

import { Data, DataType, type Dictionary } from "apache-arrow";
import { InvalidInputError } from "../model/errors.js";
import type { Substitute } from "./substitute.js";

/** Plain values of `type`, which has values of fixed width: Bool, numbers, times, fixed-size binary. */
export function plainValues(type: Dictionary): Substitute {
  const values = type.dictionary;
  return { type: values, data: (data) => (DataType.isBool(values) ? takeBits(data, values) : takeBytes(data, values)) };
}

/** The dictionary's values as one column; a dictionary that grew in several pieces is refused. */
function dictionaryOf(data: Data): Data {
  const chunks = data.dictionary?.data ?? [];
  const [first] = chunks;
  if (first === undefined || chunks.length > 1) throw new InvalidInputError("a dictionary column has no dictionary");
  return first;
}

function takeBits(data: Data, type: DataType): Data {
  const dictionary = dictionaryOf(data);
  const bits = new Uint8Array((data.length + 7) >> 3);
  const taken = taking(data, dictionary, (i, key) => {
    const at = dictionary.offset + key;
    if (((dictionary.values[at >> 3] >> (at & 7)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
  });
  return new Data(type, 0, data.length, taken.nullCount, [undefined, bits, taken.nullBitmap]);
}

function takeBytes(data: Data, type: DataType): Data {
  const dictionary = dictionaryOf(data);
  const { values, stride } = dictionary;
  const out = new values.constructor(data.length * stride);
  const taken = taking(data, dictionary, (i, key) => {
    for (let k = 0; k < stride; k++) out[i * stride + k] = values[key * stride + k];
  });
  return new Data(type, 0, data.length, taken.nullCount, [undefined, out, taken.nullBitmap]);
}

/** Calls `take` for every row that has a value; what it returns says which have. */
function taking(data: Data, dictionary: Data, take: (row: number, key: number) => void) {
  const nullBitmap = new Uint8Array((data.length + 7) >> 3);
  let nullCount = 0;
  for (let i = 0; i < data.length; i++) {
    const key = data.getValid(i) ? Number(data.values[i]) : -1;
    if (key >= 0 && dictionary.getValid(key)) {
      nullBitmap[i >> 3] |= 1 << (i & 7);
      take(i, key);
    } else nullCount++;
  }
  return { nullBitmap, nullCount };
}
