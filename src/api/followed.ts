/** What saved R objects point at, opened where that is allowed, and closed with the dataset. */

import { type OpenContainerOptions, openContainer } from "../containers/open/open-container.js";
import type { Container } from "../containers/tree/container.js";
import { located, UnsupportedError } from "../model/errors.js";
import type { Source } from "../sources/source.js";

/** What a path leads to. */
export interface FollowedSource {
  readonly source: Source;
  /** Its path in a file system, where it has one. */
  readonly file?: string;
  /** What it is called beside the path that was asked for, where that is somewhere else. */
  readonly elsewhere?: string;
}

/** What is at a path that a file holds; null where nothing is, or nothing that may be followed. */
export type Locate = (path: string) => Promise<FollowedSource | null>;

/** More stores than a saved object can need. */
const MAX_STORES = 4096;

export class Followed {
  /** For people: what was found somewhere else than the file says. */
  readonly notes: string[] = [];
  readonly #locate: Locate | null;
  readonly #options: OpenContainerOptions;
  /** Each path is opened once, however many objects point at it. */
  readonly #opened = new Map<string, Promise<Container>>();

  /** @param locate null where nothing can be followed. */
  constructor(locate: Locate | null, options: OpenContainerOptions) {
    this.#locate = locate;
    this.#options = options;
  }

  /**
   * Opens the file or folder at `path`, as a saved object has it.
   * @throws {UnsupportedError} where it is not, or is not to be followed.
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
        `the data lie at ${JSON.stringify(path)}, which is not in the object's own folder; the option follow allows others`,
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
