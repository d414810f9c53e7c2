/** A union's folder on a local disk. */

import { mkdir, readdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { InvalidInputError } from "annarrow";
import type { ReadOptions } from "annarrow/format";
import { acquireLock, writeUnnamedFile } from "annarrow/node/io";
import { hasCode } from "annarrow/node/model";
import { createNamedContent } from "./named-content.node.js";
import { type AddedFile, createCommitError, MANIFEST, type UnionStore } from "./store.js";

/** Lock file that exists while a commit on this machine replaces the manifest. */
const LOCK = `${MANIFEST}.lock`;

export class LocalStore implements UnionStore {
  readonly name: string;
  readonly #onAdd: (path: string) => void;

  /** @param onAdd called for each new file. */
  constructor(folder: string, onAdd: (path: string) => void = () => undefined) {
    this.name = folder;
    this.#onAdd = onAdd;
  }

  async text(path: string, { signal }: ReadOptions = {}): Promise<string | null> {
    try {
      return await readFile(this.#path(path), { encoding: "utf8", signal });
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
      throw error;
    }
  }

  async size(path: string): Promise<number | null> {
    try {
      return (await stat(this.#path(path))).size;
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
      throw error;
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    const entries = await readdir(this.#path(folder), { recursive: true, withFileTypes: true }).catch(
      (error: unknown) => {
        if (hasCode(error, "ENOENT")) return [];
        throw error;
      },
    );
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.name, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .sort();
  }

  async add(nameOf: (hash: string) => string, chunks: AsyncIterable<Uint8Array>): Promise<AddedFile> {
    const content = createNamedContent(nameOf, chunks);
    const place = await this.#write(nameOf(""), content.chunks);
    const added = content.added();
    if ((await this.size(added.file)) === null) this.#onAdd(added.file);
    await place(added.file);
    return added;
  }

  async put(path: string, text: string): Promise<void> {
    const place = await this.#write(path, once(text));
    if ((await this.size(path)) === null) this.#onAdd(path);
    await place(path);
  }

  async replaceManifest(before: string | null, text: string, options: ReadOptions = {}): Promise<void> {
    await mkdir(this.name, { recursive: true });
    const lock = this.#path(LOCK);
    const unlock = await acquireLock(lock);
    if (unlock === null) {
      throw new InvalidInputError(`another commit is running; if none is, remove ${lock}`, { source: this.name });
    }
    try {
      if ((await this.text(MANIFEST, options)) !== before) throw createCommitError(this.name);
      const place = await this.#write(MANIFEST, once(text));
      await place(MANIFEST);
    } finally {
      await unlock();
    }
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) await rm(this.#path(path), { force: true });
    const folders = new Set(paths.map((path) => dirname(this.#path(path))));
    for (const folder of folders) await removeEmpty(folder, this.name);
  }

  #path(path: string): string {
    return join(this.name, ...path.split("/"));
  }

  /**
   * Writes a file under a temporary name in the folder that will contain `path`.
   * @returns a function that renames the file to its final name.
   */
  async #write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<(path: string) => Promise<void>> {
    const shown = this.#path(path);
    const folder = dirname(shown);
    try {
      const place = await writeUnnamedFile(folder, chunks, { shown, output: this.name });
      return (final) => place(this.#path(final));
    } catch (error) {
      await removeEmpty(folder, this.name).catch(() => undefined);
      throw error;
    }
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Removes a folder if it is empty, and then its parent folders up to `top` if they are empty, too. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (error) {
      if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) return;
      throw error;
    }
  }
}
