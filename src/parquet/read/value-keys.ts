/** The values of a flat column as keys of a map: equal where all bits are, NaN and -0.0 included. */

import { type Data, DataType } from "apache-arrow";
import { UnsupportedError } from "../../model/errors.js";

export type Key = string | number | bigint;

/** The key of a row that has a value. */
export function valueKeys(data: Data): (row: number) => Key {
  const { type, values, offset } = data;
  if (DataType.isBool(type)) return (row) => (values[(offset + row) >> 3] >> ((offset + row) & 7)) & 1;
  if (DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    const { valueOffsets } = data;
    return (row) => byteText(values.subarray(Number(valueOffsets[row]), Number(valueOffsets[row + 1])));
  }
  const width = bytesPerValue(data);
  if ((type.children ?? []).length > 0 || DataType.isDictionary(type) || width === 0) {
    throw new UnsupportedError(`a dictionary of values of the type ${type}`);
  }
  const bytes = new Uint8Array(values.buffer, values.byteOffset, width * data.length);
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset } = aligned;
  switch (width) {
    case 1:
      return (row) => aligned[row];
    case 2: {
      const words = new Uint16Array(buffer, byteOffset, data.length);
      return (row) => words[row];
    }
    case 4: {
      const words = new Uint32Array(buffer, byteOffset, data.length);
      return (row) => words[row];
    }
    case 8: {
      const words = new BigUint64Array(buffer, byteOffset, data.length);
      return (row) => words[row];
    }
    default:
      return (row) => byteText(aligned.subarray(row * width, (row + 1) * width));
  }
}

function bytesPerValue({ values, stride }: Data): number {
  const array: unknown = values;
  return ArrayBuffer.isView(array) && "BYTES_PER_ELEMENT" in array ? Number(array.BYTES_PER_ELEMENT) * stride : 0;
}

const decoder = new TextDecoder("latin1");

/** One character for each byte. */
function byteText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
