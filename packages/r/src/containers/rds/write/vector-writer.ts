import { InvalidInputError, UnsupportedError } from "annarrow";
import type { ArrayDescription, ArrayWriter } from "annarrow/core/containers";
import {
  allocate,
  type NumberArray,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "annarrow/core/model";
import { type RText, UTF8 } from "../model/text.js";
import { NO_ATTRIBUTES, R_NULL, type RValue } from "../model/value.js";

/** Collects an array as an atomic vector. An array without a dataspace becomes NULL. */
export class VectorWriter implements ArrayWriter {
  readonly path: string;
  readonly #values: GrowingNumbers | GrowingText | null;
  readonly #kind: VectorKind;
  /** The number of rows; null if it is only known when the array is closed. */
  readonly #total: number | null;
  #rows = 0;
  #isOpen = true;

  /** @throws {UnsupportedError} for types and shapes that R vectors do not support. */
  constructor(path: string, { type, shape, attributes }: ArrayDescription) {
    if (attributes !== undefined && attributes.size > 0) throw new UnsupportedError("a vector with attributes");
    if (shape !== null && shape.length > 1) throw new UnsupportedError(`an array of ${shape.length} dimensions`);
    this.path = path;
    this.#kind = vectorKind(type);
    const [rows = 1] = shape ?? [0];
    this.#total = rows;
    this.#values =
      shape === null || type.kind === "sequence"
        ? null
        : this.#kind === "character"
          ? new GrowingText()
          : new GrowingNumbers(type, this.#kind === "real", this.#total ?? 0);
  }

  async write(values: StoredValues, rows: number): Promise<void> {
    if (!this.#isOpen) throw new TypeError(`${this.path} is closed`);
    const after = this.#rows + rows;
    if (this.#total !== null && after > this.#total) {
      throw new TypeError(`${this.path}: ${after} rows in an array of ${this.#total}`);
    }
    if (values.kind === "fixed" && this.#values instanceof GrowingNumbers && values.values.length === rows) {
      this.#values.add(values.values, this.path);
    } else if (
      values.kind === "variable" &&
      this.#values instanceof GrowingText &&
      values.offsets.length === rows + 1
    ) {
      this.#values.add(values, this.path);
    } else {
      throw new TypeError(`${this.path}: these are not ${rows} values of its type`);
    }
    this.#rows = after;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    if (this.#total !== null && this.#rows < this.#total) {
      throw new TypeError(`${this.path}: ${this.#rows} rows of an array of ${this.#total}`);
    }
    this.#isOpen = false;
  }

  /** @throws {TypeError} if the array is still open. */
  value(): RValue {
    if (this.#isOpen) throw new TypeError(`${this.path} is not closed`);
    const attributes = NO_ATTRIBUTES;
    if (this.#values === null) return R_NULL;
    if (this.#values instanceof GrowingText) return { kind: "character", text: this.#values.text(), attributes };
    const values = this.#values.values();
    if (values instanceof Float64Array) return { kind: "real", values, attributes };
    return { kind: this.#kind === "logical" ? "logical" : "integer", values, attributes };
  }
}

type VectorKind = "character" | "logical" | "integer" | "real";

function vectorKind(type: StoredType): VectorKind {
  switch (type.kind) {
    case "text":
      return "character";
    case "bool":
      return "logical";
    case "int":
      return type.bits === 64 ? "real" : "integer";
    case "float":
      if (type.bits === 16) break;
      return type.bits === 64 ? "real" : "integer";
    default:
      break;
  }
  throw new UnsupportedError(`${type.kind} values, for which there is no vector in R`);
}

/** Doubles represent every integer up to this limit. */
const EXACT = 2 ** 53;

/**
 * A collector for numbers. 32-bit values become integers with the same bits, smaller integers are widened, and 64-bit
 * values become reals.
 */
class GrowingNumbers {
  /** The constructor of the typed arrays that `add` accepts. */
  readonly #taken: unknown;
  #values: Int32Array | Float64Array;
  #count = 0;

  /** @param count the expected number of values. */
  constructor(type: StoredType, isReal: boolean, count: number) {
    this.#taken = allocate(type, 0).constructor;
    this.#values = isReal ? new Float64Array(count) : new Int32Array(count);
  }

  /**
   * @param path the name of the array in errors.
   * @throws {InvalidInputError} for integers that a real cannot represent exactly.
   * @throws {TypeError} for values of another type.
   */
  add(values: NumberArray, path: string): void {
    if (values.constructor !== this.#taken) throw new TypeError(`${path}: these are not values of its type`);
    const end = this.#count + values.length;
    if (end > this.#values.length) this.#grow(end);
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) this.#addExact(values, path);
    else if (values instanceof Float32Array || values instanceof Uint32Array) {
      const bytes = viewAsBytes(values);
      viewAsBytes(this.#values).set(bytes, 4 * this.#count);
    } else this.#values.set(values, this.#count);
    this.#count = end;
  }

  #addExact(values: BigInt64Array | BigUint64Array, path: string): void {
    for (let i = 0; i < values.length; i++) {
      const value = Number(values[i]);
      if (Math.abs(value) > EXACT || BigInt(value) !== values[i]) {
        const where = `value ${this.#count + i}, ${values[i]}`;
        throw new InvalidInputError(`${where}, is beyond 2^53, up to which R holds integers`, { element: path });
      }
      this.#values[this.#count + i] = value;
    }
  }

  #grow(needed: number): void {
    const length = Math.max(needed, 2 * this.#values.length);
    const larger = this.#values instanceof Float64Array ? new Float64Array(length) : new Int32Array(length);
    larger.set(this.#values.subarray(0, this.#count));
    this.#values = larger;
  }

  values(): Int32Array | Float64Array {
    return this.#values.subarray(0, this.#count);
  }
}

/** Maximum size of a text vector in bytes, because offsets are signed 32-bit integers. */
const MAX_BYTES = 2 ** 31 - 1;

/** Collects texts. R marks them as UTF-8. */
class GrowingText {
  #offsets = new Int32Array(64);
  #bytes = new Uint8Array(1024);
  #count = 0;

  /**
   * @param path the array's name in errors.
   * @throws {InvalidInputError} for texts with a NUL, and for a total of 2 GiB or more.
   */
  add({ offsets, bytes }: VariableValues, path: string): void {
    const rows = offsets.length - 1;
    const added = bytes.subarray(offsets[0], offsets[rows]);
    const base = this.#offsets[this.#count];
    const end = base + added.length;
    if (added.includes(0)) throw new InvalidInputError("a text with a NUL, which R cannot hold", { element: path });
    if (end > MAX_BYTES) throw new InvalidInputError("texts of 2 GiB and more", { element: path });
    this.#reserve(this.#count + rows + 1, end);
    this.#bytes.set(added, base);
    for (let i = 1; i <= rows; i++) this.#offsets[this.#count + i] = base + offsets[i] - offsets[0];
    this.#count += rows;
  }

  #reserve(offsets: number, bytes: number): void {
    if (offsets > this.#offsets.length) {
      const larger = new Int32Array(Math.max(offsets, 2 * this.#offsets.length));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    if (bytes > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(bytes, Math.min(2 * this.#bytes.length, MAX_BYTES)));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
  }

  text(): RText {
    const offsets = this.#offsets.subarray(0, this.#count + 1);
    const bytes = this.#bytes.subarray(0, offsets[this.#count]);
    return { offsets, bytes, encodings: new Uint8Array(this.#count).fill(UTF8) };
  }
}
