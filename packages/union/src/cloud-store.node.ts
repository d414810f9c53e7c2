/** A union's folder in an object store. */

import { join } from "node:path";
import type { CloudStore, CloudWriter } from "@annarrow/cloud";
import {
  createStatusError,
  formatObjectAddress,
  openCloudStore,
  parseAddress,
  type StoreAnswer,
  storeRequest,
} from "@annarrow/cloud";
import { FILES_AT_ONCE, Uploader } from "@annarrow/cloud/node";
import { InvalidInputError, UnsupportedError } from "annarrow";
import { ConditionError } from "annarrow/core/io";
import { processConcurrently } from "annarrow/core/kernels";
import type { ReadOptions } from "annarrow/format";
import { createWorkFolder, FileWriter, UPLOAD } from "annarrow/node/io";
import { createNamedContent } from "./named-content.node.js";
import { type AddedFile, createCommitError, MANIFEST, type UnionStore } from "./store.js";
import type { UnionAccess } from "./union-options.js";

interface Folder {
  /** Address of the folder, without a trailing slash. */
  readonly name: string;
  /** Common prefix of the keys of all files. */
  readonly prefix: string;
  readonly store: CloudStore;
  readonly writer: CloudWriter;
}

/**
 * Opens a union's folder at an address such as `s3://bucket/atlas`.
 * @param onAdd called for each new file.
 * @throws {UnsupportedError} for a service that can only be read.
 * @throws {InvalidInputError} for an address without a key.
 */
export async function openCloudUnionStore(
  output: string,
  { cloud, http }: UnionAccess,
  onAdd: (path: string) => void = () => undefined,
): Promise<UnionStore> {
  const address = parseAddress(output);
  const key = address.key.replace(/\/+$/, "");
  if (key === "") throw new InvalidInputError("names no folder in the bucket, such as atlas/", { source: output });
  const store = await openCloudStore(address, cloud, http);
  const { writer } = store;
  if (writer === null) {
    throw new UnsupportedError("is read, not written; a union is written to s3://, gs:// or az://", { source: output });
  }
  return new CloudUnionStore({ name: formatObjectAddress(address, key), prefix: `${key}/`, store, writer }, onAdd);
}

/** Union store in an object store. Objects appear only when they are complete, so readers never see part of a file. */
class CloudUnionStore implements UnionStore {
  readonly name: string;
  readonly #folder: Folder;
  readonly #uploader: Uploader;
  readonly #onAdd: (path: string) => void;

  constructor(folder: Folder, onAdd: (path: string) => void) {
    this.name = folder.name;
    this.#folder = folder;
    this.#uploader = new Uploader(folder.writer);
    this.#onAdd = onAdd;
  }

  async text(path: string, options: ReadOptions = {}): Promise<string | null> {
    return (await this.#request("GET", path, options))?.text ?? null;
  }

  async size(path: string, options: ReadOptions = {}): Promise<number | null> {
    const answer = await this.#request("HEAD", path, options);
    return answer === null ? null : Number(answer.header("content-length"));
  }

  async list(folder: string, { signal }: ReadOptions = {}): Promise<readonly string[]> {
    const { prefix, store } = this.#folder;
    const paths: string[] = [];
    for await (const { objects } of store.list(prefix + (folder === "" ? "" : `${folder}/`), { signal })) {
      // A key that ends with a slash represents a folder.
      for (const { key } of objects) if (!key.endsWith("/")) paths.push(key.slice(prefix.length));
    }
    return paths.sort();
  }

  async add(
    nameOf: (hash: string) => string,
    chunks: AsyncIterable<Uint8Array>,
    options: ReadOptions = {},
  ): Promise<AddedFile> {
    const content = createNamedContent(nameOf, chunks);
    // The name of the object is a hash of its complete content, so the content is written to a file first.
    const folder = await createWorkFolder(UPLOAD);
    try {
      const temporary = join(folder.path, "part");
      await (await FileWriter.create(temporary, `${this.name}/${nameOf("")}`)).writeAll(content.chunks);
      const added = content.added();
      const size = await this.size(added.file, options);
      if (size === null) this.#onAdd(added.file);
      if (size !== added.bytes) await this.#uploader.file(this.#keyOf(added.file), temporary, options);
      return added;
    } finally {
      await folder.remove();
    }
  }

  async put(path: string, text: string, options: ReadOptions = {}): Promise<void> {
    if ((await this.size(path, options)) === null) this.#onAdd(path);
    await this.#folder.writer.put(this.#keyOf(path), new TextEncoder().encode(text), options);
  }

  async replaceManifest(before: string | null, text: string, options: ReadOptions = {}): Promise<void> {
    const { store, writer } = this.#folder;
    const present = await this.#request("GET", MANIFEST, options);
    if ((present?.text ?? null) !== before) throw createCommitError(this.name);
    const version = present?.header(writer.versionHeader);
    if (version === null) {
      throw new UnsupportedError("the service tells no versions of objects, without which two commits may both win", {
        source: store.name,
      });
    }
    const condition = version === undefined ? { ifAbsent: true } : { ifVersion: version };
    try {
      await writer.put(this.#keyOf(MANIFEST), new TextEncoder().encode(text), { ...condition, ...options });
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      // If a request is retried because its answer was lost, the stored manifest may be the one from the first attempt.
      if ((await this.text(MANIFEST, options)) !== text) throw createCommitError(this.name, error);
    }
  }

  async remove(paths: readonly string[], { signal }: ReadOptions = {}): Promise<void> {
    await processConcurrently(paths, FILES_AT_ONCE, async (path) => {
      signal?.throwIfAborted();
      await this.#folder.writer.delete(this.#keyOf(path), { signal });
    });
  }

  #keyOf(path: string): string {
    return this.#folder.prefix + path;
  }

  /** Requests a file; null if it does not exist. */
  async #request(method: "GET" | "HEAD", path: string, { signal }: ReadOptions): Promise<StoreAnswer | null> {
    const { store } = this.#folder;
    const source = `${this.name}/${path}`;
    const answer = await storeRequest(store.http, { method, url: store.url(this.#keyOf(path)), source, signal });
    if (answer.status === 404) return null;
    if (answer.status >= 300) throw createStatusError(answer.status, "", source);
    return answer;
  }
}
