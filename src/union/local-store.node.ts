/** A union's folder on a local disk. */

import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { InvalidInputError } from "../model/errors.js";
import { hasCode, runFileOperation } from "../model/system-error.node.js";
import type { ReadOptions } from "../sources/source.js";
import { nodeFiles } from "../targets/file-system.node.js";
import { FileWriter } from "../targets/file-writer.node.js";
import { renameOver } from "../targets/renames.node.js";
import {
  createTemporaryName,
  decodeOwner,
  detectOwnerState,
  encodeOwner,
  OWNER_PATTERN,
  readProcessOwner,
  registerCleanup,
} from "../targets/temporary-output.node.js";
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
    const unlock = await this.#lock();
    try {
      if ((await this.text(MANIFEST, options)) !== before) {
        throw createCommitError(this.name);
      }
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
   * Writes a file under a temporary name in the folder of `path`.
   * @returns a function that gives the file its name.
   */
  async #write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<(path: string) => Promise<void>> {
    const folder = dirname(this.#path(path));
    await runFileOperation(this.name, () => mkdir(folder, { recursive: true }));
    const temporary = join(folder, await createTemporaryName("part"));
    const unregister = registerCleanup(temporary);
    try {
      await (await FileWriter.create(temporary, this.#path(path))).writeAll(chunks);
    } catch (error) {
      unregister();
      await removeEmpty(folder, this.name);
      throw error;
    }
    return async (final) => {
      await runFileOperation(this.name, () => renameOver(nodeFiles, temporary, this.#path(final)));
      unregister();
    };
  }

  /**
   * Acquires the commit lock. The lock of an ended process is taken over.
   * @returns a function that releases the lock.
   */
  async #lock(): Promise<() => Promise<void>> {
    const path = this.#path(LOCK);
    const own = encodeOwner(await readProcessOwner());
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const handle = await open(path, "wx");
        const unregister = registerCleanup(path);
        await handle.writeFile(own);
        await handle.close();
        return async () => {
          await rm(path, { force: true });
          unregister();
        };
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
      }
      if (!(await this.#takeFromEnded(path, own))) break;
    }
    throw new InvalidInputError(`another commit is running; if none is, remove ${path}`, { source: this.name });
  }

  /** Removes the lock of an ended process. */
  async #takeFromEnded(path: string, own: string): Promise<boolean> {
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) return true;
    const owner = new RegExp(`^${OWNER_PATTERN}$`).exec(text);
    const touched = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();
    if (owner === null || (await detectOwnerState(decodeOwner(owner.slice(1)), touched)) !== "ended") return false;
    // If two processes find a stale lock, only one of them can rename it.
    const taken = `${path}.${own}`;
    try {
      await rename(path, taken);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return true;
      throw error;
    }
    await rm(taken, { force: true });
    return true;
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Removes a folder, and the folders around it up to `top`, where they are empty. */
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
