import { product, type StoredType, type StoredValues } from "../../../model/stored.js";
import type { Band } from "./band.js";
import { itemBytes } from "./item-bytes.js";

export interface FixedBandOptions {
  readonly type: StoredType;
  readonly itemSize: number;
  /** Dimensions of the array and of its chunks behind the first. */
  readonly rest: readonly number[];
  readonly chunkRest: readonly number[];
  readonly chunkRows: number;
  /** Whether an array that ends within its first chunk gets a smaller one. */
  readonly flexible: boolean;
  /** Whether a chunk of nothing but fill values is kept. */
  readonly keepsEmpty: boolean;
  readonly memory: (bytes: number) => Uint8Array<ArrayBuffer>;
}

/** Chunks of items of fixed size. Their fill value is zero bytes. */
export class FixedBand implements Band {
  rows = 0;
  chunkRows: number;
  readonly #options: FixedBandOptions;
  /** Bytes of a row of the array, and of a chunk. */
  readonly #rowBytes: number;
  readonly #chunkRowBytes: number;
  readonly #runs: readonly Run[];
  /** Whether some chunk reaches beyond the array's columns. */
  readonly #overhangs: boolean;
  readonly #chunks: (Uint8Array<ArrayBuffer> | null)[];

  constructor(options: FixedBandOptions) {
    const { rest, chunkRest, itemSize, chunkRows } = options;
    this.#options = options;
    this.chunkRows = chunkRows;
    this.#rowBytes = itemSize * product(rest);
    this.#chunkRowBytes = itemSize * product(chunkRest);
    this.#runs = runsOf(rest, chunkRest, itemSize);
    this.#overhangs = rest.some((size, axis) => size % chunkRest[axis] !== 0);
    this.#chunks = new Array(product(gridOf(rest, chunkRest))).fill(null);
  }

  get isFull(): boolean {
    return this.rows === this.chunkRows;
  }

  get bytes(): number {
    return this.#chunks.length * this.chunkRows * this.#chunkRowBytes;
  }

  source(values: StoredValues, rows: number): (from: number) => number {
    const { type, rest } = this.#options;
    const bytes = itemBytes(type, values, rows * product(rest));
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

/** Bytes [from, end) of a row that lie at `to` of a chunk's row. */
interface Run {
  readonly chunk: number;
  readonly from: number;
  readonly end: number;
  readonly to: number;
}

/** How many chunks lie along each dimension. */
export function gridOf(shape: readonly number[], chunks: readonly number[]): number[] {
  return shape.map((size, axis) => Math.ceil(size / chunks[axis]));
}

/** The runs of one row, in its order. */
function runsOf(rest: readonly number[], chunkRest: readonly number[], itemSize: number): Run[] {
  let runs: Run[] = [{ chunk: 0, from: 0, end: itemSize, to: 0 }];
  // From the last dimension outwards: what lies behind a position of this dimension is repeated for each of its positions.
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

/** Whether there is nothing but zero bytes; ends at the first other one. */
function isZero(bytes: Uint8Array): boolean {
  const words = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteOffset % 8 === 0 ? bytes.length >> 3 : 0);
  for (const word of words) if (!Object.is(word, 0)) return false;
  for (let i = words.byteLength; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}
