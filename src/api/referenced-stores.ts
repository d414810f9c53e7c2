/**
 * Stores that saved R objects refer to by path. They are opened only if the caller allows it, and closed with the
 * dataset.
 */

import { type OpenContainerOptions, openContainer } from "../containers/open/open-container.js";
import type { Container } from "../containers/tree/container.js";
import type { Source } from "../io/sources/source.js";
import { runWithLocation, UnsupportedError } from "../model/errors.js";

/** The source that a path refers to. */
export interface ReferencedSource {
  readonly source: Source;
  /** The source's path in a file system, if it has one. */
  readonly file?: string;
  /** Path at which the source was found, if it differs from the requested path. */
  readonly elsewhere?: string;
}

/** Resolves a path that a file contains to a source; null if there is none, or if it must not be opened. */
export type LocateSource = (path: string) => Promise<ReferencedSource | null>;

/** Maximum number of stores. No saved object needs this many. */
const MAX_STORES = 4096;

export class ReferencedStores {
  /** Warnings about stores that were found at a different path from the one in the file. */
  readonly notes: string[] = [];
  readonly #locate: LocateSource | null;
  readonly #options: OpenContainerOptions;
  /** Containers by path. Each path is opened once, however many objects refer to it. */
  readonly #opened = new Map<string, Promise<Container>>();

  /** @param locate null if no paths may be opened. */
  constructor(locate: LocateSource | null, options: OpenContainerOptions) {
    this.#locate = locate;
    this.#options = options;
  }

  /**
   * Opens the file or folder at `path`, which comes from a saved object.
   * @throws {UnsupportedError} if it does not exist, or must not be opened.
   */
  readonly open = (path: string): Promise<Container> => {
    let opening = this.#opened.get(path);
    if (opening === undefined) {
      if (this.#opened.size >= MAX_STORES) throw new UnsupportedError(`more than ${MAX_STORES} stores are pointed at`);
      opening = this.#open(path);
      this.#opened.set(path, opening);
    }
    return opening;
  };

  async #open(path: string): Promise<Container> {
    const found = await this.#locate?.(path);
    if (found === null || found === undefined) {
      throw new UnsupportedError(
        `the data lie at ${JSON.stringify(path)}, which is not in the object's own folder: allow its folder by the option follow (--follow FOLDER)`,
      );
    }
    const { source, file, elsewhere } = found;
    if (elsewhere !== undefined) this.notes.push(`${JSON.stringify(path)} was found as ${JSON.stringify(elsewhere)}`);
    const options = file === undefined ? this.#options : { ...this.#options, path: file };
    return await runWithLocation({ source: source.name }, async () => {
      try {
        return await openContainer(source, options);
      } catch (error) {
        await source.close();
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values()) await opening.then((container) => container.close()).catch(() => {});
  }
}
