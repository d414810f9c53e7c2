import type { ValueStream } from "../../../io/targets/target.js";
import { UnsupportedElementError, UnsupportedError } from "../../../model/errors.js";
import {
  allocate,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../../../model/stored.js";
import type { ArrayWriter } from "../../tree/container-writer.js";

/**
 * Returns the eight characters at the start of a file of such numbers.
 * @throws {UnsupportedError} for types without a file format.
 */
export function getNumberHeader(type: StoredType): string {
  if (type.kind === "int" && !type.signed && type.bits === 32) return "UINT32v1";
  if (type.kind === "int" && !type.signed && type.bits === 64) return "UINT64v1";
  if (type.kind === "float" && type.bits === 32) return "FLOATSv1";
  if (type.kind === "float" && type.bits === 64) return "DOUBLEv1";
  const name = type.kind === "int" ? `${type.signed ? "" : "u"}int${type.bits}` : type.kind;
  throw new UnsupportedError(`${name} values; files hold uint32, uint64, float32 and float64`);
}

export class NumberFileWriter implements ArrayWriter {
  readonly path: string;
  readonly #file: WrittenFile;
  readonly #rows: FileRows;
  /** The constructor of the typed arrays that `write` accepts. */
  readonly #array: unknown;

  private constructor(file: WrittenFile, type: StoredType) {
    this.path = file.path;
    this.#file = file;
    this.#rows = new FileRows(file);
    this.#array = allocate(type, 0).constructor;
  }

  static async begin(file: WrittenFile, type: StoredType, header: string): Promise<NumberFileWriter> {
    if (type.kind === "sequence") throw new TypeError("sequences are no numbers");
    await file.stream.write(new TextEncoder().encode(header));
    return new NumberFileWriter(file, type);
  }

  async write(written: StoredValues, rows: number): Promise<void> {
    if (written.kind !== "fixed" || written.values.constructor !== this.#array || written.values.length !== rows) {
      throw new TypeError(`${this.path}: these are not ${rows} values of its type`);
    }
    this.#rows.add(rows);
    await this.#file.stream.write(viewAsBytes(written.values));
  }

  close(): Promise<void> {
    return this.#rows.close(this);
  }
}

const NEWLINE = 10;
const RETURN = 13;

/** Writes a file of lines, with one text per line. */
export class TextFileWriter implements ArrayWriter {
  readonly path: string;
  readonly #file: WrittenFile;
  readonly #rows: FileRows;
  #written = 0;

  constructor(file: WrittenFile) {
    this.path = file.path;
    this.#file = file;
    this.#rows = new FileRows(file);
  }

  /** @throws {InvalidInputError} for texts that would not be read back unchanged. */
  async write(values: StoredValues, rows: number): Promise<void> {
    if (values.kind !== "variable" || values.offsets.length !== rows + 1) {
      throw new TypeError(`${this.path}: these are not ${rows} texts`);
    }
    this.#rows.add(rows);
    checkLines(values, rows, this.#written);
    this.#written += rows;
    await this.#file.stream.write(linesOf(values, rows));
  }

  close(): Promise<void> {
    return this.#rows.close(this);
  }
}

/**
 * Checks texts before they are written as lines. A line ends at its newline, its reader drops a carriage return before
 * the newline, and BPCells ends texts at a NUL.
 * @param first the number of the first text, for messages.
 * @throws {InvalidInputError} for texts that would not be read back unchanged.
 */
export function checkLines({ offsets, bytes }: VariableValues, rows: number, first = 0): void {
  for (let row = 0; row < rows; row++) {
    const [start, end] = [offsets[row], offsets[row + 1]];
    let found = end > start && bytes[end - 1] === RETURN ? "a carriage return at its end" : null;
    for (let i = start; i < end; i++) {
      if (bytes[i] === NEWLINE) found = "a newline";
      else if (bytes[i] === 0) found = "a NUL";
    }
    if (found === null) continue;
    const text = JSON.stringify(new TextDecoder().decode(bytes.subarray(start, end)));
    throw new UnsupportedElementError(`text ${first + row}, ${text}, has ${found}, which a file of lines cannot hold`);
  }
}

function linesOf({ offsets, bytes }: VariableValues, rows: number): Uint8Array {
  const lines = new Uint8Array(offsets[rows] - offsets[0] + rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const text = bytes.subarray(offsets[row], offsets[row + 1]);
    lines.set(text, at);
    at += text.length;
    lines[at++] = NEWLINE;
  }
  return lines;
}

export interface WrittenFile {
  readonly path: string;
  /** The number of rows; null if it is known only at the end. */
  readonly rows: number | null;
  readonly stream: ValueStream;
  readonly closed: (array: ArrayWriter) => void;
}

/** Counts an array's rows, and checks them against the expected number. */
class FileRows {
  readonly #file: WrittenFile;
  #rows = 0;
  #isOpen = true;

  constructor(file: WrittenFile) {
    this.#file = file;
  }

  /** @throws {TypeError} if the array is closed, or has no room for this many rows. */
  add(rows: number): void {
    const { path, rows: total } = this.#file;
    if (!this.#isOpen) throw new TypeError(`${path} is closed`);
    this.#rows += rows;
    if (total !== null && this.#rows > total)
      throw new TypeError(`${path}: ${this.#rows} rows in an array of ${total}`);
  }

  /** @throws {TypeError} if rows are missing. */
  async close(array: ArrayWriter): Promise<void> {
    const { path, rows: total, stream, closed } = this.#file;
    if (!this.#isOpen) return;
    if (total !== null && this.#rows < total)
      throw new TypeError(`${path}: ${this.#rows} rows of an array of ${total}`);
    this.#isOpen = false;
    await stream.close();
    closed(array);
  }
}
