/** Stores that saved R objects refer to by path: opened where the caller allows it, closed with the dataset. */

import { type OpenContainerOptions, openContainer } from "../containers/open/open-container.js";
import type { Container } from "../containers/tree/container.js";
import { located, UnsupportedError } from "../model/errors.js";
import type { Source } from "../sources/source.js";

/** The source that a path leads to. */
export interface ReferencedSource {
  readonly source: Source;
  /** Its path in a file system, where it has one. */
  readonly file?: string;
  /** Path under which it was found, where it differs from the path that was asked for. */
  readonly elsewhere?: string;
}

/** Finds the source at a path that a file holds; null where there is none, or none that may be opened. */
export type LocateSource = (path: string) => Promise<ReferencedSource | null>;

/** More stores than a saved object can need. */
const MAX_STORES = 4096;

export class ReferencedStores {
  /** Warnings about stores that were found at another path than the file says. */
  readonly notes: string[] = [];
  readonly #locate: LocateSource | null;
  readonly #options: OpenContainerOptions;
  /** Each path is opened once, however many objects point at it. */
  readonly #opened = new Map<string, Promise<Container>>();

  /** @param locate null where no path may be opened. */
  constructor(locate: LocateSource | null, options: OpenContainerOptions) {
    this.#locate = locate;
    this.#options = options;
  }

  /**
   * Opens the file or folder at `path`, a path from a saved object.
   * @throws {UnsupportedError} where it does not exist, or may not be opened.
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
    return await located({ source: source.name }, async () => {
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
