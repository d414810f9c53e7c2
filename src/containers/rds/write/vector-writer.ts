import { UnsupportedError } from "../../../model/errors.js";
import type { ArrayDescription, ArrayWriter, WrittenType, WrittenValues } from "../../tree/container-writer.js";
import { NO_ATTRIBUTES, R_NULL, type RValue } from "../model/value.js";
import { GrowingNumbers } from "./growing-numbers.js";
import { GrowingText } from "./growing-text.js";

/** An array that becomes an atomic vector, or NULL where it has no dataspace. */
export class VectorWriter implements ArrayWriter {
  readonly path: string;
  readonly #values: GrowingNumbers | GrowingText | null;
  readonly #kind: VectorKind;
  /** Null where only the end tells. */
  readonly #total: number | null;
  #rows = 0;
  #isOpen = true;

  /** @throws {UnsupportedError} for types and shapes that R has no vector for. */
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

  async write(values: WrittenValues, rows: number): Promise<void> {
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

  /** @throws {TypeError} where the array is still open. */
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

function vectorKind(type: WrittenType): VectorKind {
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
