import { findInvalidText } from "../../../kernels/text/utf8.js";
import { InvalidDataError } from "../../../model/errors.js";
import {
  allocate,
  countElements,
  getDecodedSize,
  type RecordValues,
  type StoredField,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../../../model/stored.js";

/** Buffered rows of an array: one chunk, or several chunks across the columns that are filled together. */
export interface RowBuffer {
  /** The number of rows per chunk; an upper bound until `settle` is called. */
  readonly chunkRows: number;
  readonly rows: number;
  /** Whether the band must be stored before more rows can be added. */
  readonly isFull: boolean;
  /** The size in bytes of the band's chunks before encoding. */
  readonly bytes: number;
  /**
   * Prepares rows to be copied. The returned function copies the rows from a given position on, until the band is full,
   * and returns the number of rows copied.
   * @throws {TypeError} if `values` does not consist of `rows` rows of the array's type.
   * @throws {InvalidDataError} for text that is not UTF-8.
   */
  source(values: StoredValues, rows: number): (from: number) => number;
  /**
   * Finalizes the number of rows per chunk, if nothing has been stored yet.
   * @param isLast whether there are no more rows.
   */
  settle(isLast: boolean): void;
  /**
   * Returns the chunks in C order, padded to their full size, with null for a chunk that contains only fill values.
   * Afterwards the band is empty.
   */
  take(): (Uint8Array<ArrayBuffer> | null)[];
}

export interface FixedRowBufferOptions {
  readonly type: StoredType;
  readonly itemSize: number;
  /** The dimensions of the array, and of its chunks, after the first dimension. */
  readonly rest: readonly number[];
  readonly chunkRest: readonly number[];
  readonly chunkRows: number;
  /** Whether an array that ends within its first chunk gets a smaller chunk. */
  readonly flexible: boolean;
  /** Whether a chunk that contains only fill values is stored. */
  readonly keepsEmpty: boolean;
  readonly memory: (bytes: number) => Uint8Array<ArrayBuffer>;
}

/** Chunks with items of fixed size, whose fill value consists of zero bytes. */
export class FixedRowBuffer implements RowBuffer {
  rows = 0;
  chunkRows: number;
  readonly #options: FixedRowBufferOptions;
  /** The size in bytes of one row of the array, and of one row of a chunk. */
  readonly #rowBytes: number;
  readonly #chunkRowBytes: number;
  readonly #runs: readonly Run[];
  /** Whether any chunk extends beyond the array's columns. */
  readonly #overhangs: boolean;
  readonly #chunks: (Uint8Array<ArrayBuffer> | null)[];

  constructor(options: FixedRowBufferOptions) {
    const { rest, chunkRest, itemSize, chunkRows } = options;
    this.#options = options;
    this.chunkRows = chunkRows;
    this.#rowBytes = itemSize * countElements(rest);
    this.#chunkRowBytes = itemSize * countElements(chunkRest);
    this.#runs = runsOf(rest, chunkRest, itemSize);
    this.#overhangs = rest.some((size, axis) => size % chunkRest[axis] !== 0);
    this.#chunks = new Array(countElements(countGridChunks(rest, chunkRest))).fill(null);
  }

  get isFull(): boolean {
    return this.rows === this.chunkRows;
  }

  get bytes(): number {
    return this.#chunks.length * this.chunkRows * this.#chunkRowBytes;
  }

  source(values: StoredValues, rows: number): (from: number) => number {
    const { type, rest } = this.#options;
    const bytes = encodeItems(type, values, rows * countElements(rest));
    return (from) => {
      const count = Math.min(rows - from, this.chunkRows - this.rows);
      this.#copy(bytes.subarray(from * this.#rowBytes, (from + count) * this.#rowBytes), count);
      this.rows += count;
      return count;
    };
  }

  #copy(bytes: Uint8Array, count: number): void {
    const chunkBytes = this.chunkRows * this.#chunkRowBytes;
    const chunks = this.#chunks.map((kept, i) => {
      const chunk = kept ?? this.#options.memory(chunkBytes);
      if (this.rows === 0 && this.#overhangs) chunk.fill(0);
      this.#chunks[i] = chunk;
      return chunk;
    });
    const start = this.rows * this.#chunkRowBytes;
    if (chunks.length === 1 && !this.#overhangs) {
      chunks[0].set(bytes, start);
      return;
    }
    for (let row = 0; row < count; row++) {
      const from = row * this.#rowBytes;
      const to = start + row * this.#chunkRowBytes;
      for (const run of this.#runs) {
        chunks[run.chunk].set(bytes.subarray(from + run.from, from + run.end), to + run.to);
      }
    }
  }

  settle(isLast: boolean): void {
    if (!isLast || !this.#options.flexible) return;
    this.chunkRows = Math.max(1, this.rows);
    const length = this.chunkRows * this.#chunkRowBytes;
    this.#chunks.forEach((chunk, i) => {
      if (chunk === null || chunk.length === length) return;
      const smaller = this.#options.memory(length);
      smaller.set(chunk.subarray(0, length));
      this.#chunks[i] = smaller;
    });
  }

  take(): (Uint8Array<ArrayBuffer> | null)[] {
    const end = this.rows * this.#chunkRowBytes;
    this.rows = 0;
    return this.#chunks.map((chunk, i) => {
      if (chunk === null || (!this.#options.keepsEmpty && isZero(chunk.subarray(0, end)))) return null;
      chunk.fill(0, end);
      this.#chunks[i] = null;
      return chunk;
    });
  }
}

/** The bytes [from, end) of an array row, which are copied to offset `to` in the chunk's row. */
interface Run {
  readonly chunk: number;
  readonly from: number;
  readonly end: number;
  readonly to: number;
}

export function countGridChunks(shape: readonly number[], chunks: readonly number[]): number[] {
  return shape.map((size, axis) => Math.ceil(size / chunks[axis]));
}

/** Returns the runs of a row, in row order. */
function runsOf(rest: readonly number[], chunkRest: readonly number[], itemSize: number): Run[] {
  let runs: Run[] = [{ chunk: 0, from: 0, end: itemSize, to: 0 }];
  // The loop starts at the last dimension. For each position along a dimension, the runs of the later dimensions are
  // repeated.
  let rowBytes = itemSize;
  let chunkBytes = itemSize;
  let chunkCount = 1;
  for (let axis = rest.length - 1; axis >= 0; axis--) {
    const [size, chunk] = [rest[axis], chunkRest[axis]];
    const behind = runs;
    runs = [];
    const isWhole = behind.length === 1 && rowBytes === chunkBytes;
    if (isWhole) {
      for (let start = 0; start < size; start += chunk) {
        const end = Math.min(size, start + chunk);
        runs.push({ chunk: start / chunk, from: start * rowBytes, end: end * rowBytes, to: 0 });
      }
    } else {
      for (let i = 0; i < size; i++) {
        for (const run of behind) {
          runs.push({
            chunk: Math.floor(i / chunk) * chunkCount + run.chunk,
            from: i * rowBytes + run.from,
            end: i * rowBytes + run.end,
            to: (i % chunk) * chunkBytes + run.to,
          });
        }
      }
    }
    rowBytes *= size;
    chunkBytes *= chunk;
    chunkCount *= Math.ceil(size / chunk);
  }
  return runs;
}

/** Returns whether all bytes are zero. Stops at the first nonzero byte. */
function isZero(bytes: Uint8Array): boolean {
  const words = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteOffset % 8 === 0 ? bytes.length >> 3 : 0);
  for (const word of words) if (!Object.is(word, 0)) return false;
  for (let i = words.byteLength; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

export interface VariableRowBufferOptions {
  readonly isText: boolean;
  readonly rest: readonly number[];
  readonly chunkRows: number;
  /** Whether chunks may have fewer rows. If so, the first chunk is full at `fullBytes`, so that long strings fit. */
  readonly flexible: boolean;
  readonly fullBytes: number;
  /** Whether a chunk that contains only empty items is stored. */
  readonly keepsEmpty: boolean;
  readonly memory: (bytes: number) => Uint8Array<ArrayBuffer>;
}

/**
 * A chunk of texts or byte strings in the form of `vlen-utf8` and `vlen-bytes`: the number of items, then each item's
 * length (u32, little-endian) and bytes. A chunk consists of whole rows, and is padded with empty items.
 */
export class VariableRowBuffer implements RowBuffer {
  rows = 0;
  chunkRows: number;
  readonly #options: VariableRowBufferOptions;
  readonly #rowItems: number;
  #flexible: boolean;
  /** The lengths and bytes of the items in the chunk. */
  #items = new Uint8Array(1024);
  #end = 0;
  #isEmpty = true;

  constructor(options: VariableRowBufferOptions) {
    this.#options = options;
    this.#rowItems = countElements(options.rest);
    this.#flexible = options.flexible;
    this.chunkRows = options.chunkRows;
  }

  get isFull(): boolean {
    return this.rows === this.chunkRows || (this.#flexible && this.#end >= this.#options.fullBytes);
  }

  get bytes(): number {
    return 4 + this.#end;
  }

  source(values: StoredValues, rows: number): (from: number) => number {
    if (values.kind !== "variable") throw new TypeError(`${values.kind} values, the array's are variable`);
    const { offsets, bytes } = values;
    checkCount(offsets.length - 1, rows * this.#rowItems);
    if (this.#options.isText) checkText(offsets, bytes);
    return (from) => {
      let row = from;
      while (row < rows && !this.isFull) {
        this.#copy(offsets, bytes, row * this.#rowItems, (row + 1) * this.#rowItems);
        row++;
        this.rows++;
      }
      return row - from;
    };
  }

  #copy(offsets: Int32Array, bytes: Uint8Array, first: number, last: number): void {
    const length = offsets[last] - offsets[first];
    const end = this.#end + 4 * (last - first) + length;
    if (end > this.#items.length) {
      const items = new Uint8Array(Math.max(end, 2 * this.#items.length));
      items.set(this.#items.subarray(0, this.#end));
      this.#items = items;
    }
    if (length > 0) this.#isEmpty = false;
    const items = this.#items;
    let at = this.#end;
    for (let i = first; i < last; i++) {
      const start = offsets[i];
      const size = offsets[i + 1] - start;
      items[at] = size;
      items[at + 1] = size >> 8;
      items[at + 2] = size >> 16;
      items[at + 3] = size >> 24;
      at += 4;
      if (size < 32) for (let byte = 0; byte < size; byte++) items[at + byte] = bytes[start + byte];
      else items.set(bytes.subarray(start, start + size), at);
      at += size;
    }
    this.#end = at;
  }

  settle(isLast: boolean): void {
    if (this.#flexible && (isLast || this.isFull)) this.chunkRows = Math.max(1, this.rows);
    this.#flexible = false;
  }

  take(): (Uint8Array<ArrayBuffer> | null)[] {
    const count = this.chunkRows * this.#rowItems;
    const missing = count - this.rows * this.#rowItems;
    const end = this.#end;
    const isEmpty = this.#isEmpty;
    this.rows = 0;
    this.#end = 0;
    this.#isEmpty = true;
    if (this.#rowItems === 0) return [];
    if (isEmpty && !this.#options.keepsEmpty) return [null];
    const chunk = this.#options.memory(4 + end + 4 * missing);
    new DataView(chunk.buffer, chunk.byteOffset).setUint32(0, count, true);
    chunk.set(this.#items.subarray(0, end), 4);
    chunk.fill(0, 4 + end);
    return [chunk];
  }
}

/**
 * Returns items of fixed size in the layout of a chunk: little-endian and one after another. Numbers are not copied.
 * @throws {TypeError} if `values` does not consist of `count` values of `type`.
 * @throws {InvalidDataError} for text that is not UTF-8.
 */
function encodeItems(type: StoredType, values: StoredValues, count: number): Uint8Array {
  if (type.kind === "record") {
    if (values.kind === "record") return recordBytes(type.fields, values, count);
  } else if (type.kind === "text") {
    if (values.kind === "variable" && type.storage.form === "fixed") {
      checkCount(values.offsets.length - 1, count);
      const { encoding, width } = type.storage;
      return encoding === "utf-32" ? encodeUtf32(values, Math.max(4, width)) : paddedBytes(values, Math.max(1, width));
    }
  } else if (values.kind === "fixed") {
    const like = allocate(type, 0);
    // Array types are compared by name, since typed arrays may come from another JavaScript realm.
    if (values.values[Symbol.toStringTag] === like[Symbol.toStringTag]) {
      const bytes = viewAsBytes(values.values);
      checkCount(bytes.length / (getDecodedSize(type) ?? 1), count);
      return bytes;
    }
  }
  const found = values.kind === "fixed" ? values.values[Symbol.toStringTag] : values.kind;
  throw new TypeError(`${found} values, the array has the type ${JSON.stringify(type)}`);
}

/** @throws {TypeError} if the numbers differ. */
function checkCount(found: number, expected: number): void {
  if (found !== expected) throw new TypeError(`${found} values, expected ${expected}`);
}

/** Encodes each string in `width` bytes, padded with NUL. */
function paddedBytes({ offsets, bytes }: VariableValues, width: number): Uint8Array {
  const count = offsets.length - 1;
  const out = new Uint8Array(width * count);
  for (let i = 0; i < count; i++) {
    const length = offsets[i + 1] - offsets[i];
    if (length > width) throw new TypeError(`text ${i} has ${length} bytes, its type ${width}`);
    out.set(bytes.subarray(offsets[i], offsets[i + 1]), i * width);
  }
  return out;
}

function recordBytes(fields: readonly StoredField[], values: RecordValues, count: number): Uint8Array {
  checkCount(values.length, count);
  if (values.fields.length !== fields.length) {
    throw new TypeError(`records of ${values.fields.length} fields, the type has ${fields.length}`);
  }
  const columns = fields.map(({ type, shape }, i) => encodeItems(type, values.fields[i], count * countElements(shape)));
  if (count === 0) return new Uint8Array(0);
  const sizes = columns.map((column) => column.length / count);
  const size = sizes.reduce((a, b) => a + b, 0);
  const out = new Uint8Array(size * count);
  let offset = 0;
  columns.forEach((column, field) => {
    const width = sizes[field];
    for (let i = 0, from = 0, to = offset; i < count; i++, to += size) {
      for (let byte = 0; byte < width; byte++) out[to + byte] = column[from++];
    }
    offset += width;
  });
  return out;
}

/**
 * Encodes each UTF-8 text as UTF-32 (little-endian) in `width` bytes, padded with NUL.
 * @throws {InvalidDataError} for a text that is not UTF-8.
 * @throws {TypeError} for a text that does not fit.
 */
function encodeUtf32({ offsets, bytes }: VariableValues, width: number): Uint8Array {
  checkText(offsets, bytes);
  const count = offsets.length - 1;
  const out = new Uint8Array(width * count);
  const view = new DataView(out.buffer);
  for (let i = 0; i < count; i++) {
    let to = i * width;
    const end = to + width;
    for (let at = offsets[i]; at < offsets[i + 1]; ) {
      const lead = bytes[at++];
      // A lead byte starts with as many ones as the character has bytes; each of the other bytes carries six bits.
      const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      let code = more === 0 ? lead : lead & (0x3f >> more);
      for (let k = 0; k < more; k++) code = (code << 6) | (bytes[at++] & 0x3f);
      if (to === end) throw new TypeError(`text ${i} has more than the ${width / 4} characters of its type`);
      view.setUint32(to, code, true);
      to += 4;
    }
  }
  return out;
}

/** @throws {InvalidDataError} for a text that is not UTF-8. */
function checkText(offsets: Int32Array, bytes: Uint8Array): void {
  const invalid = findInvalidText(offsets, bytes);
  if (invalid >= 0) throw new InvalidDataError(`text ${invalid} is not UTF-8`);
}
