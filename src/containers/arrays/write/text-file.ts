import { RefusedError } from "../../../model/errors.js";
import type { VariableValues } from "../../../model/stored.js";
import type { ArrayWriter, WrittenValues } from "../../tree/container-writer.js";
import { FileRows, type WrittenFile } from "./file-rows.js";

const NEWLINE = 10;
const RETURN = 13;

/** A file of lines, one text each. */
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

  /** @throws {InvalidInputError} for texts that would not be read back as they are. */
  async write(values: WrittenValues, rows: number): Promise<void> {
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
 * A line ends at its newline, its reader takes away a carriage return before that, and BPCells ends texts at a NUL.
 * @param first the number of the first text, for messages.
 * @throws {InvalidInputError} for texts that would not be read back as they are.
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
    throw new RefusedError(`text ${first + row}, ${text}, has ${found}, which a file of lines cannot hold`);
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
