/**
 * Outputs in object stores. An output is first written to a temporary path on disk, because most formats write their
 * header last. The complete output is then uploaded, and appears whole or not at all.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InvalidInputError, UnsupportedError } from "annarrow";
import type { FolderEntry, FolderTree, RemoteOutputOptions } from "annarrow/core/io";
import { ROOT_DOCUMENTS } from "annarrow/core/io";
import { processConcurrently } from "annarrow/core/kernels";
import type { RemoteOutput } from "annarrow/scheme";
import { type CloudAddress, formatObjectAddress, parseAddress } from "./objects/address.js";
import type { CloudStore, CloudWriter } from "./objects/cloud-store.js";
import { storeRequest } from "./objects/request.js";
import { openCloudStore } from "./open-cloud-store.js";
import { FILES_AT_ONCE, Uploader } from "./upload.node.js";

/** Files required to open a folder: Zarr documents, manifest of tables or companion, split list, BPCells version. */
const LAST = [...ROOT_DOCUMENTS, "manifest.json", "split.json", "version"];

/** Maximum number of objects in a folder that is replaced. */
const MAX_OBJECTS = 1_000_000;

/**
 * Opens the destination of an output in an object store.
 * @throws {UnsupportedError} for a read-only service.
 * @throws {InvalidInputError} for an address without a key.
 */
export async function createCloudOutput(shown: string, options: RemoteOutputOptions): Promise<RemoteOutput> {
  const address = parseAddress(shown);
  const key = address.key.replace(/\/+$/, "");
  if (key === "") throw new InvalidInputError("names no output in the bucket, such as out.h5ad", { source: shown });
  const store = await openCloudStore(address, options.cloud, options.http);
  const { writer } = store;
  if (writer === null)
    throw new UnsupportedError("is read, not written; write to s3://, gs:// or az://", { source: shown });
  return new CloudOutput({ ...address, key }, { store, writer, signal: options.signal });
}

interface WrittenStore {
  readonly store: CloudStore;
  readonly writer: CloudWriter;
  readonly signal: AbortSignal | undefined;
}

class CloudOutput implements RemoteOutput {
  readonly #address: CloudAddress;
  readonly #store: CloudStore;
  readonly #writer: CloudWriter;
  readonly #signal: AbortSignal | undefined;

  constructor(address: CloudAddress, { store, writer, signal }: WrittenStore) {
    this.#address = address;
    this.#store = store;
    this.#writer = writer;
    this.#signal = signal;
  }

  /** Returns what exists at the key: an object, or a folder (objects whose keys start with it). */
  async found(): Promise<"nothing" | "file" | "folder"> {
    const { key } = this.#address;
    let found: "nothing" | "folder" = "nothing";
    for await (const { objects, folders } of this.#store.list(key, { folders: true, signal: this.#signal })) {
      if (objects.some((object) => object.key === key)) return "file";
      if (folders.includes(`${key}/`)) found = "folder";
    }
    return found;
  }

  /**
   * Stores the file at `path`.
   * @throws {ConditionError} if an object has the key and `overwrite` is not given.
   */
  async putFile(path: string, { overwrite }: { readonly overwrite: boolean }): Promise<void> {
    await new Uploader(this.#writer).file(this.#address.key, path, { ifAbsent: !overwrite, signal: this.#signal });
  }

  /** Returns the objects below the key as a folder tree. */
  async tree(): Promise<FolderTree> {
    const root: ListedFolder = new Map();
    for (const name of await this.#names()) {
      const segments = name.split("/");
      let folder = root;
      for (const segment of segments.slice(0, -1)) {
        const there = folder.get(segment);
        const next: ListedFolder = there ?? new Map();
        folder.set(segment, next);
        folder = next;
      }
      folder.set(segments[segments.length - 1], folder.get(segments[segments.length - 1]) ?? null);
    }
    return {
      entries: async (path) => entriesOf(path.reduce<ListedFolder | null>((at, name) => at?.get(name) ?? null, root)),
      text: async (path) => {
        const url = this.#store.url(this.#keyOf(path.join("/")));
        const { status, text } = await storeRequest(this.#store.http, {
          ...{ url, source: this.#store.name, signal: this.#signal },
        });
        return status === 200 ? text : "";
      },
    };
  }

  /**
   * Stores the files of the folder at `path`. The files that are needed to open the folder come last. If the upload
   * fails, neither the new nor the replaced files remain.
   */
  async putFolder(path: string, { overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const before = overwrite ? await this.#names() : [];
    const files = await filesIn(path);
    const known = new Set(files);
    try {
      // The replaced dataset must not open while its other objects change.
      await this.#delete(before.filter((name) => LAST.includes(name)));
      const uploader = new Uploader(this.#writer);
      const put = async (name: string, signal: AbortSignal | undefined) => {
        this.#signal?.throwIfAborted();
        await uploader.file(this.#keyOf(name), join(path, ...name.split("/")), { signal });
      };
      await processConcurrently(
        files.filter((name) => !LAST.includes(name)),
        FILES_AT_ONCE,
        (name) => put(name, this.#signal),
      );
      await this.#delete(before.filter((name) => !known.has(name)));
      // These requests are not aborted: a service may store an object after its request was abandoned, and after its
      // deletion.
      for (const name of LAST) if (known.has(name)) await put(name, undefined);
      this.#signal?.throwIfAborted();
    } catch (error) {
      // The original error is reported, and leftover objects do not open as a dataset.
      await this.#deleteFolder([...new Set([...files, ...before])], { isForced: true });
      throw error;
    }
  }

  async removeFolder(): Promise<void> {
    await this.#deleteFolder(await this.#names());
  }

  /** Deletes the objects of a folder, starting with the files required to open it. */
  async #deleteFolder(names: readonly string[], how: { readonly isForced?: boolean } = {}): Promise<void> {
    const isLast = (name: string) => LAST.includes(name);
    await this.#delete(names.filter(isLast), how);
    await this.#delete(
      names.filter((name) => !isLast(name)),
      how,
    );
  }

  async #names(): Promise<readonly string[]> {
    const prefix = this.#keyOf("");
    const names: string[] = [];
    for await (const { objects } of this.#store.list(prefix, { signal: this.#signal })) {
      // A key that ends with a slash represents a folder.
      for (const { key } of objects) if (!key.endsWith("/")) names.push(key.slice(prefix.length));
      if (names.length <= MAX_OBJECTS) continue;
      const source = formatObjectAddress(this.#address, this.#address.key);
      throw new InvalidInputError(`holds more than ${MAX_OBJECTS} objects; remove them, or choose another name`, {
        source,
      });
    }
    return names;
  }

  /** Deletes objects. @param isForced continues after a failure or an interruption. */
  async #delete(names: readonly string[], { isForced = false } = {}): Promise<void> {
    await processConcurrently(names, FILES_AT_ONCE, async (name) => {
      const deleting = this.#writer.delete(this.#keyOf(name), { signal: isForced ? undefined : this.#signal });
      await (isForced ? deleting.catch(() => undefined) : deleting);
    });
  }

  #keyOf(name: string): string {
    return `${this.#address.key}/${name}`;
  }
}

/** A folder as a map from names to subfolders; null for objects. */
interface ListedFolder extends Map<string, ListedFolder | null> {}

function entriesOf(folder: ListedFolder | null): readonly FolderEntry[] {
  return [...(folder ?? [])]
    .map(([name, below]): FolderEntry => ({ name, kind: below === null ? "file" : "folder" }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the paths of all files below a folder, separated by `/`. */
async function filesIn(folder: string, above = ""): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const name = `${above}${entry.name}`;
    if (!entry.isDirectory()) files.push(name);
    else for (const file of await filesIn(join(folder, entry.name), `${name}/`)) files.push(file);
  }
  return files;
}
