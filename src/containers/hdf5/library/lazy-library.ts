/** The library with one open file. It is loaded on first use, so most files never need it. */

import { platform } from "#platform";
import type { ByteSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidInputError, UnsupportedError } from "../../../model/errors.js";
import type { LibraryFile } from "./library.js";

export interface OpenedLibrary {
  readonly file: LibraryFile;
  /** The ids of the filters that the library can decode. */
  readonly filters: ReadonlySet<number>;
}

/** Maximum size of a file held in memory, because JavaScript engines refuse larger buffers. */
const MAX_BYTES_IN_MEMORY = 2 ** 31;

export class LazyLibrary {
  readonly #source: ByteSource;
  readonly #path: string | undefined;
  #opened: Promise<OpenedLibrary> | undefined;
  #closed = false;

  /**
   * @param path the path of the file on disk, if it has one: Node opens such a file in place. Any other file is held in
   * memory.
   */
  constructor(source: ByteSource, path?: string) {
    this.#source = source;
    this.#path = path;
  }

  /**
   * Opens the file on the first call. One caller's abort signal does not stop the loading, because other callers may be
   * waiting for it.
   * @throws {InvalidDataError} if the library cannot open the file.
   * @throws {UnsupportedError} if the file is too large to be held in memory.
   */
  async open(options?: ReadOptions): Promise<OpenedLibrary> {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw new InvalidInputError("the file is closed");
    this.#opened ??= this.#load();
    return await this.#opened;
  }

  async #load(): Promise<OpenedLibrary> {
    const { loadH5wasm } = await import("./h5wasm.js");
    if (this.#path !== undefined && platform.h5wasmOnFiles !== null) {
      const { open, filters } = await loadH5wasm(platform.h5wasmOnFiles);
      return { file: open(this.#path), filters };
    }
    const { open, filters } = await loadH5wasm();
    return { file: open(await this.#readWhole()), filters };
  }

  async #readWhole(): Promise<Uint8Array> {
    const { size } = this.#source;
    if (size > MAX_BYTES_IN_MEMORY) {
      throw new UnsupportedError(
        `an HDF5 file of ${size} bytes that is no file on disk, with virtual datasets; at most ${MAX_BYTES_IN_MEMORY} are held in memory`,
      );
    }
    return await this.#source.read(0, size);
  }

  /** Closes the file, if it was opened. */
  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    opened?.file.close();
  }
}
