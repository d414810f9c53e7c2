/**
 * Other files that a file refers to through external links, external storage and virtual datasets. If the caller allows
 * it, each file is opened once, and closed together with the file that refers to it.
 */

import type { ByteSource } from "../../../io/sources/source.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { FollowedFile, FollowFile } from "../../tree/followed-file.js";

/** Maximum number of other files, and maximum length of a chain of external links. */
const MAX_FILES = 1024;
export const MAX_LINKS = 16;

/** Text for errors about files that must not be opened. */
export const FOLLOW_ADVICE = "other files are opened only in the folders of the option follow (--follow FOLDER)";

/** Opens linked files. `Context` is the type of an opened HDF5 file. */
export class FollowedFiles<Context> {
  readonly #follow: FollowFile | null;
  readonly #open: (found: FollowedFile, name: string) => Promise<Context>;
  /** Opened files by path, or by name if they have no path. */
  readonly #contexts = new Map<string, Promise<Context>>();
  readonly #found = new Map<string, Promise<FollowedFile | null>>();

  /** @param follow null if no other files may be opened. */
  constructor(follow: FollowFile | null, open: (found: FollowedFile, name: string) => Promise<Context>) {
    this.#follow = follow;
    this.#open = open;
  }

  /**
   * Finds a file.
   * @param what describes the reference to the file, for errors: "external link to /a".
   * @throws {UnsupportedError} if the file does not exist, or must not be opened.
   */
  async find(name: string, from: string | undefined, what: string): Promise<FollowedFile> {
    const at = `${what} in the file ${name}`;
    if (this.#follow === null) throw new UnsupportedError(`${at}; ${FOLLOW_ADVICE}`);
    const key = `${from ?? ""}\0${name}`;
    let finding = this.#found.get(key);
    if (finding === undefined) {
      if (this.#found.size >= MAX_FILES) throw new UnsupportedError(`${at}: more than ${MAX_FILES} other files`);
      finding = this.#follow(name, from);
      this.#found.set(key, finding);
    }
    const found = await finding;
    if (found === null) throw new UnsupportedError(`${at}, which is not in the folders of follow`);
    return found;
  }

  /** Opens an HDF5 file like `find`. */
  async context(name: string, from: string | undefined, what: string): Promise<Context> {
    const found = await this.find(name, from, what);
    const key = found.file ?? `${from ?? ""}\0${name}`;
    const known = this.#contexts.get(key);
    if (known !== undefined) return await known;
    const opening = this.#open(found, name);
    this.#contexts.set(key, opening);
    return await opening;
  }

  /** Returns the bytes of a file that is not HDF5, resolved like `find`. */
  async bytes(name: string, from: string | undefined, what: string): Promise<ByteSource> {
    return (await this.find(name, from, what)).source;
  }

  async close(): Promise<void> {
    for (const found of await Promise.allSettled(this.#found.values())) {
      if (found.status === "fulfilled") await found.value?.source.close();
    }
  }
}
