/**
 * Joins a column's dictionaries into one for all row groups. Each row group of a Parquet file has its own dictionary,
 * in the order in which its values first occur. Values that the row group does not use may be missing from it.
 */

import { type Data, DataType, Vector } from "apache-arrow";
import { emptyData } from "../../arrow/apache/raw-data.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";

export class Categories {
  readonly values: Vector;
  #codes: Map<Key, number> | undefined;
  /** Cached codes for each dictionary (see `codesOf`). */
  readonly #known = new WeakMap<Vector, Int32Array | null>();

  /** @param parts the values in order; at least one part. */
  constructor(parts: readonly Data[]) {
    this.values = new Vector([...parts]);
  }

  /**
   * Returns the code in this dictionary for each value of `dictionary`, -1 for null. Returns null if no code changes.
   */
  codesOf(dictionary: Vector, column: string): Int32Array | null {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known;
    const codes = this.#isSame(dictionary) ? null : this.#lookUp(dictionary.data, column);
    this.#known.set(dictionary, codes);
    return codes;
  }

  /** Returns a code for each value of a non-dictionary column, -1 for null. */
  codesOfValues(data: Data, column: string): Int32Array {
    return this.#lookUp([data], column);
  }

  #lookUp(parts: readonly Data[], column: string): Int32Array {
    this.#codes ??= codeMap(this.values.data);
    const codes = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      const key = createValueKeyGetter(part);
      for (let i = 0; i < part.length; i++) {
        const code = part.getValid(i) ? this.#codes.get(key(i)) : -1;
        if (code === undefined) {
          throw new InvalidDataError(`${column} has a value that is none of its ${this.values.length} categories`);
        }
        codes[at++] = code;
      }
    }
    return codes;
  }

  #isSame({ data, length }: Vector): boolean {
    const [mine, other] = [this.values.data, data];
    if (length !== this.values.length || mine.length !== 1 || other.length !== 1) return false;
    if (mine[0].nullCount > 0 || other[0].nullCount > 0) return false;
    const [a, b] = [createValueKeyGetter(mine[0]), createValueKeyGetter(other[0])];
    for (let i = 0; i < length; i++) if (a(i) !== b(i)) return false;
    return true;
  }
}

/** Maps values to codes. A repeated value has the code of its first occurrence. */
function codeMap(parts: readonly Data[]): Map<Key, number> {
  const codes = new Map<Key, number>();
  let at = 0;
  for (const part of parts) {
    const key = createValueKeyGetter(part);
    for (let i = 0; i < part.length; i++, at++) {
      if (!part.getValid(i)) continue;
      const value = key(i);
      if (!codes.has(value)) codes.set(value, at);
    }
  }
  return codes;
}

/** Collects the distinct values of several dictionaries, in order of appearance. */
export class CollectedValues {
  readonly #seen = new Set<Key>();
  readonly #parts: Data[] = [];

  /** Adds the new values among `values`, from a dictionary or a non-dictionary column. */
  add(values: Data): void {
    const key = createValueKeyGetter(values);
    const fresh: number[] = [];
    for (let i = 0; i < values.length; i++) {
      if (!values.getValid(i)) continue;
      const value = key(i);
      if (this.#seen.has(value)) continue;
      this.#seen.add(value);
      fresh.push(i);
    }
    // Adds runs of new values without a copy, because nearly always either all or none of a dictionary's values are
    // new.
    for (let from = 0; from < fresh.length; ) {
      let to = from + 1;
      while (to < fresh.length && fresh[to] === fresh[to - 1] + 1) to++;
      this.#parts.push(values.slice(fresh[from], to - from));
      from = to;
    }
  }

  categories(type: Data["type"]): Categories {
    return new Categories(this.#parts.length > 0 ? this.#parts : [emptyData(type)]);
  }
}

export type Key = string | number | bigint;

/** Returns a function that returns the key of a row's value. The value must not be missing. */
function createValueKeyGetter(data: Data): (row: number) => Key {
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

/** Decodes bytes to a string with one character per byte. */
function byteText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
