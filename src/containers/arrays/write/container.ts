/** Writes a directory of arrays for BPCells, the counterpart of `open.ts`. */

import { type KeyValueTarget, openValueStream } from "../../../io/targets/target.js";
import {
  InvalidInputError,
  runWithLocation,
  UnsupportedElementError,
  UnsupportedError,
} from "../../../model/errors.js";
import type {
  ArrayDescription,
  ArrayWriter,
  ContainerWriter,
  GroupWriter,
  WrittenAttribute,
} from "../../tree/container-writer.js";
import { checkLines, getNumberHeader, NumberFileWriter, TextFileWriter } from "./array-file.js";

/** The file that specifies the kind of data. This library exposes it as an attribute of the root, as in HDF5. */
const VERSION = "version";

/**
 * Writes every array as a file of `target`: 32-bit and 64-bit unsigned integers and floats after a header, text as
 * lines. The root's attribute `version` is written last, as a file with one line; a directory without this file cannot
 * be opened. There are no groups, and no other attributes.
 */
export function createArrays(target: KeyValueTarget): ContainerWriter {
  const root = new ArrayFolderWriter(target);
  return { kind: "directory", name: target.name, root, close: () => root.close() };
}

class ArrayFolderWriter implements GroupWriter {
  readonly path = "";
  readonly #target: KeyValueTarget;
  readonly #names = new Set([VERSION]);
  readonly #open = new Set<ArrayWriter>();
  #version: WrittenAttribute | null = null;
  #isClosed = false;

  constructor(target: KeyValueTarget) {
    this.#target = target;
  }

  /**
   * @throws {UnsupportedError} for any attribute other than the version, and for a version that is not one line of
   * text.
   */
  attribute(name: string, attribute: WrittenAttribute): void {
    this.#checkOpen();
    const { type, shape, values } = attribute;
    const isText = type.kind === "text" && shape?.length === 0 && values?.kind === "variable";
    if (name !== VERSION || !isText) {
      throw new UnsupportedError(`a directory of arrays has no attribute ${name}, only the text "${VERSION}"`, {
        source: this.#target.name,
      });
    }
    checkLines(values, 1);
    this.#version = attribute;
  }

  async group(name: string): Promise<GroupWriter> {
    throw new UnsupportedError("a directory of arrays has no groups", { source: this.#target.name, element: name });
  }

  array(name: string, { type, shape, attributes }: ArrayDescription): Promise<ArrayWriter> {
    this.#checkOpen();
    return runWithLocation({ source: this.#target.name, element: name }, async () => {
      if (name.includes("/")) throw new UnsupportedElementError("a name with a slash is no name of a file");
      if (this.#names.has(name)) throw new InvalidInputError("there is such an array already");
      if (attributes !== undefined && attributes.size > 0) throw new UnsupportedError("arrays here have no attributes");
      if (shape?.length !== 1) {
        throw new UnsupportedError(`an array of shape ${JSON.stringify(shape)}; in a directory all are lists`);
      }
      const header = type.kind === "text" ? null : getNumberHeader(type);
      this.#names.add(name);
      const stream = await openValueStream(this.#target, name);
      const file = {
        path: name,
        rows: shape[0],
        stream,
        closed: (array: ArrayWriter) => void this.#open.delete(array),
      };
      const array = header === null ? new TextFileWriter(file) : await NumberFileWriter.begin(file, type, header);
      this.#open.add(array);
      return array;
    });
  }

  async close(): Promise<void> {
    this.#checkOpen();
    const [open] = this.#open;
    if (open !== undefined) throw new TypeError(`${this.#target.name}: ${open.path} is not closed`);
    this.#isClosed = true;
    const values = this.#version?.values;
    if (values?.kind !== "variable") throw new TypeError(`${this.#target.name}: there is no version`);
    const stream = await openValueStream(this.#target, VERSION);
    const file = new TextFileWriter({ path: VERSION, rows: 1, stream, closed: () => undefined });
    await file.write(values, 1);
    await file.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new TypeError(`${this.#target.name} is closed`);
  }
}
