/**
 * Reads the values of a column as plain arrays, batch by batch. In a separate file, because it needs apache-arrow,
 * which is loaded after the first rendering of the page.
 */

import { type Data, DataType, type RecordBatch, type Vector } from "apache-arrow";
import { type CellValues, missingCode } from "./cell-values.js";
import { plainNumbers } from "./plain-numbers.js";
import { inSlices } from "./slices.js";

/** Maximum number of distinct values of a column shown as categories. */
const MOST_CATEGORIES = 65_535;

/**
 * Reads the first column of batches.
 * @param rows number of rows of all batches.
 * @param at index of the number in each row, for a list column.
 */
export async function valuesOf(
  batches: AsyncIterable<RecordBatch>,
  rows: number,
  signal: AbortSignal,
  at: number | null = null,
): Promise<CellValues> {
  let filling: Codes | Numbers | null = null;
  let row = 0;
  for await (const batch of batches) {
    for (const data of batch.getChildAt(0)?.data ?? []) {
      if (row + data.length > rows) throw new RangeError(`more than ${rows.toLocaleString("en")} rows arrived`);
      filling ??= isText(data.type) ? new Codes(rows) : new Numbers(rows, data.type, at);
      await filling.add(data, row, signal);
      row += data.length;
    }
  }
  return (filling ?? new Codes(rows)).result;
}

const isText = (type: DataType): boolean =>
  DataType.isDictionary(type) || DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isBool(type);

class Codes {
  #codes: Uint8Array | Uint16Array;
  readonly #categories = new Map<string, number>();
  #dictionary: Vector | null = null;
  #ofDictionary: readonly number[] = [];

  constructor(rows: number) {
    this.#codes = new Uint8Array(rows).fill(255);
  }

  get result(): CellValues {
    return { kind: "codes", codes: this.#codes, categories: [...this.#categories.keys()] };
  }

  async add(data: Data, row: number, signal: AbortSignal): Promise<void> {
    const codeAt = this.#reader(data);
    const isNull = nullsOf(data);
    await inSlices(
      data.length,
      (from, to) => {
        for (let at = from; at < to; at++) if (!isNull(at)) this.#set(row + at, codeAt(at));
      },
      { signal },
    );
  }

  #set(row: number, code: number): void {
    this.#codes[row] = code;
  }

  #reader(data: Data): (at: number) => number {
    if (DataType.isDictionary(data.type)) {
      if (data.dictionary !== undefined && data.dictionary !== this.#dictionary) {
        this.#dictionary = data.dictionary;
        this.#ofDictionary = Array.from(data.dictionary, (value) => this.#code(value));
      }
      const { values } = data;
      return (at) => this.#ofDictionary[Number(values[at])] ?? missingCode(this.#codes);
    }
    if (DataType.isBool(data.type)) {
      const codes = [this.#code("false"), this.#code("true")];
      const { values, offset } = data;
      return (at) => codes[(values[(offset + at) >> 3] >> ((offset + at) & 7)) & 1] ?? 0;
    }
    const { valueOffsets: ends, values } = data;
    const decoder = new TextDecoder();
    return (at) => this.#code(decoder.decode(values.subarray(Number(ends[at]), Number(ends[at + 1]))));
  }

  /** Returns the existing code of a value, or a new one. */
  #code(value: unknown): number {
    const text = String(value);
    const known = this.#categories.get(text);
    if (known !== undefined) return known;
    const code = this.#categories.size;
    if (code === MOST_CATEGORIES)
      throw new RangeError("The column has too many different values to be shown by colour.");
    if (code === 255 && this.#codes.BYTES_PER_ELEMENT === 1) {
      this.#codes = Uint16Array.from(this.#codes, (one) => (one === 255 ? 65_535 : one));
    }
    this.#categories.set(text, code);
    return code;
  }
}

class Numbers {
  readonly #values: Float32Array | Float64Array;
  readonly #at: number | null;

  constructor(rows: number, type: DataType, at: number | null) {
    const inner = DataType.isFixedSizeList(type) ? type.valueType : type;
    // 32-bit floats represent these values exactly.
    const isNarrow = (DataType.isFloat(inner) && inner.precision < 2) || (DataType.isInt(inner) && inner.bitWidth < 32);
    this.#values = (isNarrow ? new Float32Array(rows) : new Float64Array(rows)).fill(Number.NaN);
    this.#at = at;
  }

  get result(): CellValues {
    return { kind: "numbers", values: this.#values };
  }

  async add(data: Data, row: number, signal: AbortSignal): Promise<void> {
    const { type } = data;
    const width = DataType.isFixedSizeList(type) ? type.listSize : 1;
    const first = this.#at ?? 0;
    if (first >= width) throw new RangeError(`a row has ${width} numbers, and none at ${first}`);
    const inner = DataType.isFixedSizeList(type) ? data.children[0] : data;
    if (inner === undefined || !ArrayBuffer.isView(inner.values)) {
      throw new TypeError(`values of the type ${type} are no numbers`);
    }
    const values = plainNumbers(inner);
    const [isNull, isInnerNull] = [nullsOf(data), width > 1 ? nullsOf(inner) : () => false];
    const into = this.#values;
    await inSlices(
      data.length,
      (from, to) => {
        for (let at = from; at < to; at++) {
          const place = at * width + first;
          if (!isNull(at) && !isInnerNull(place)) into[row + at] = Number(values[place]);
        }
      },
      { signal },
    );
  }
}

function nullsOf(data: Data): (at: number) => boolean {
  if (data.nullCount === 0) return () => false;
  const { nullBitmap, offset } = data;
  return (at) => (((nullBitmap[(offset + at) >> 3] ?? 0) >> ((offset + at) & 7)) & 1) === 0;
}
