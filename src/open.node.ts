/** `open` with paths, and the variants of Node that make it fast: node:zlib, h5wasm on files in place. */

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { installNodeHdf5 } from "./containers/hdf5/h5wasm.node.js";
import type { Dataset } from "./dataset.js";
import { NotFoundError } from "./errors.js";
import { installNodeCompressors } from "./kernels/compress.node.js";
import { installNodeInflate } from "./kernels/inflate.node.js";
import { type Input, type OpenOptions, openSource, open as openUniversal } from "./open.js";

installNodeCompressors();
installNodeInflate();
installNodeHdf5();

/**
 * Opens an annotated matrix and reads its structure, no values. A string is a path, or the URL of a Zarr store.
 * @throws {NotFoundError} where there is nothing, or nothing that is an annotated matrix.
 * @throws {UnsupportedError} for containers and formats that are not read.
 * @throws {InvalidDataError} where the file breaks its own format.
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  const path = filePath(input);
  if (path === null) return openUniversal(input, options);
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    (cause: NodeJS.ErrnoException) => {
      const problem = cause.code === "ENOENT" ? "no such file or directory" : cause.message;
      throw new NotFoundError(problem, { source: path, cause });
    },
  );
  if (isDirectory) {
    const { directorySource } = await import("./sources/directory.node.js");
    return openSource(await directorySource(path), options);
  }
  const { fileSource } = await import("./sources/file.node.js");
  return openSource(await fileSource(path), options, path);
}

function filePath(input: Input): string | null {
  if (input instanceof URL) return input.protocol === "file:" ? fileURLToPath(input) : null;
  return typeof input === "string" && !/^https?:\/\//i.test(input) ? input : null;
}
