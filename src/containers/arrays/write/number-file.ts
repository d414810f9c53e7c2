import { UnsupportedError } from "../../../model/errors.js";
import { allocate, bytesOf, type StoredType } from "../../../model/stored.js";
import type { ArrayWriter, WrittenType, WrittenValues } from "../../tree/container-writer.js";
import { FileRows, type WrittenFile } from "./file-rows.js";

/**
 * The eight characters that a file of such numbers begins with.
 * @throws {UnsupportedError} for types that have none.
 */
export function numberHeader(type: WrittenType): string {
  if (type.kind === "int" && !type.signed && type.bits === 32) return "UINT32v1";
  if (type.kind === "int" && !type.signed && type.bits === 64) return "UINT64v1";
  if (type.kind === "float" && type.bits === 32) return "FLOATSv1";
  if (type.kind === "float" && type.bits === 64) return "DOUBLEv1";
  const name = type.kind === "int" ? `${type.signed ? "" : "u"}int${type.bits}` : type.kind;
  throw new UnsupportedError(`${name} values; files hold uint32, uint64, float32 and float64`);
}

/** A file of numbers. */
export class NumberFileWriter implements ArrayWriter {
  readonly path: string;
  readonly #file: WrittenFile;
  readonly #rows: FileRows;
  /** The constructor of the typed arrays that are taken. */
  readonly #array: unknown;

  private constructor(file: WrittenFile, type: StoredType) {
    this.path = file.path;
    this.#file = file;
    this.#rows = new FileRows(file);
    this.#array = allocate(type, 0).constructor;
  }

  static async begin(file: WrittenFile, type: WrittenType, header: string): Promise<NumberFileWriter> {
    if (type.kind === "sequence") throw new TypeError("sequences are no numbers");
    await file.stream.write(new TextEncoder().encode(header));
    return new NumberFileWriter(file, type);
  }

  async write(written: WrittenValues, rows: number): Promise<void> {
    if (written.kind !== "fixed" || written.values.constructor !== this.#array || written.values.length !== rows) {
      throw new TypeError(`${this.path}: these are not ${rows} values of its type`);
    }
    this.#rows.add(rows);
    await this.#file.stream.write(bytesOf(written.values));
  }

  close(): Promise<void> {
    return this.#rows.close(this);
  }
}
