/**
 * A directory of arrays in BPCells' format. Each array is a file, either of lines of text, or of numbers behind a
 * header that names their type (`UINT32v1` …). The file `version` identifies the kind of data.
 */

import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError, locateError, NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { AttributeValue, Container, Group, Node } from "../tree/container.js";
import { openNumberFile, readTextFileArray } from "./array-file.js";

/** The names of files that contain lines of text, regardless of their first bytes. */
const TEXT_FILE = /^(version|storage_order|([a-z]+_)?names)$/;

/** Maximum length of the version text. */
const MAX_VERSION = 256;

/**
 * Opens a directory of arrays. The line in `version` becomes an attribute of the root, as in an HDF5 group of these
 * arrays.
 * @throws {NotFoundError} if there is no file `version`.
 * @throws {InvalidDataError} if `version` is not a single line.
 */
export async function openArrays(source: KeyValueSource, options: ReadOptions = {}): Promise<Container> {
  const version = await readVersion(source, options);
  return {
    kind: "directory",
    name: source.name,
    root: new ArrayFolder(source, new Map([["version", version]])),
    dereference: () => Promise.reject(new UnsupportedError("arrays have no references", { source: source.name })),
    close: () => source.close(),
  };
}

async function readVersion(source: KeyValueSource, options: ReadOptions): Promise<string> {
  const location = { source: source.name, element: "version" };
  const parts = await source.getRanges("version", [{ start: 0, end: MAX_VERSION + 1 }], options);
  if (parts === undefined) throw new NotFoundError("no such file", location);
  const text = new TextDecoder().decode(parts[0]);
  const line = text.replace(/\r?\n$/, "");
  if (line === "" || /\n/.test(line) || parts[0].length > MAX_VERSION) {
    throw new InvalidDataError("the file is not one line", location);
  }
  return line;
}

/** The root, which contains only files. */
class ArrayFolder implements Group {
  readonly kind = "group";
  readonly path = "";
  readonly id = "";
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly #source: KeyValueSource;

  constructor(source: KeyValueSource, attributes: ReadonlyMap<string, AttributeValue>) {
    this.#source = source;
    this.attributes = attributes;
  }

  /** @throws {UnsupportedError} if the files cannot be listed. */
  async keys(options?: ReadOptions): Promise<readonly string[]> {
    const names = await this.#source.list("", options);
    if (names === null) throw new UnsupportedError("the files cannot be listed here", { source: this.#source.name });
    return names.sort();
  }

  async open(name: string, options?: ReadOptions): Promise<Node> {
    try {
      if (name === "" || /[/\0]/.test(name) || name === "." || name === "..") throw new NotFoundError("no such file");
      return TEXT_FILE.test(name)
        ? await readTextFileArray(this.#source, name, options)
        : await openNumberFile(this.#source, name, options);
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: name });
    }
  }
}
