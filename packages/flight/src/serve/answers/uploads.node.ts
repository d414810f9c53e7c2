/**
 * Uploads of datasets. Each table is received into its own file in a hidden folder, and `commit` writes the whole
 * dataset. No files remain of an upload that is not committed in time, or of a table that is cut off.
 */

import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, open, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BatchStream } from "annarrow";
import { streamWriter } from "annarrow/core/ipc";
import { convertInputToColumns } from "annarrow/core/tables";
import { write } from "annarrow/node/api";
import { createTemporaryName, registerCleanup, TOUCH, UPLOAD } from "annarrow/node/io";
import type { RecordBatch } from "apache-arrow";
import { readIpcStream } from "../../flight/messages/ipc-stream.js";
import type { Folders } from "../datasets/folders.node.js";
import { RequestError } from "../requests/failure.js";

export interface UploadOptions {
  /**
   * Time in milliseconds after which an upload without progress expires; ten minutes by default. A new table or another
   * 64 KiB count as progress.
   */
  readonly time?: number;
  /** Maximum size of one upload in bytes; 16 GiB by default. */
  readonly bytes?: number;
  /** Limits on concurrent uploads: for all clients together, 64 by default, and for one client, 16. */
  readonly most?: number;
  readonly mostOfOne?: number;
}

export interface UploadName {
  readonly dataset: readonly string[];
  /** Name chosen by the client, so that several clients can upload the same dataset concurrently. */
  readonly upload: string;
}

/** An upload, and the client that sends one of its tables. */
interface SentUpload extends UploadName {
  /** Identifies the client. Uploads are counted per client. */
  readonly client: string;
}

export interface Received {
  readonly rows: number;
  readonly bytes: number;
}

interface Upload {
  readonly key: string;
  /** The client that began the upload. */
  readonly client: string;
  readonly folder: string;
  readonly unregister: () => void;
  /** Refreshes the folder's modification time, to show other servers that the upload is in progress. */
  readonly touching: NodeJS.Timeout;
  readonly tables: Map<string, string>;
  readonly coming: Set<string>;
  bytes: number;
  /** Value of `bytes` at the last progress of the upload. */
  progressed: number;
  files: number;
  /** Ends the upload if it makes no progress. */
  readonly timer: NodeJS.Timeout;
  /** Aborted when the upload is over. */
  readonly over: AbortController;
  isOver: boolean;
}

/** Number of bytes that count as progress of an upload. */
const PROGRESS = 2 ** 16;

const MAX_TABLES = 10_000;

export class Uploads {
  readonly #folders: Folders;
  readonly #options: Required<UploadOptions>;
  readonly #uploads = new Map<string, { readonly client: string; readonly opening: Promise<Upload> }>();

  constructor(folders: Folders, options: UploadOptions = {}) {
    const { time = 600_000, bytes = 2 ** 34, most = 64, mostOfOne = 16 } = options;
    this.#folders = folders;
    this.#options = { time, bytes, most, mostOfOne };
  }

  get size(): number {
    return this.#uploads.size;
  }

  /**
   * Receives one table.
   * @param batches are read to the end. If reading fails, the table is removed.
   */
  async put(name: SentUpload, table: string, batches: BatchStream, signal: AbortSignal): Promise<Received> {
    const upload = await this.#uploadOf(name);
    refuseOver(upload);
    if (upload.coming.has(table))
      throw new RequestError("exists", `the table ${JSON.stringify(table)} is uploaded by somebody else just now`);
    if (upload.tables.size + upload.coming.size >= MAX_TABLES)
      throw new RequestError("exhausted", `more than ${MAX_TABLES} tables`);
    upload.coming.add(table);
    const file = join(upload.folder, `${upload.files++}.arrows`);
    try {
      const received = await this.#receive(
        upload,
        { table, file },
        batches,
        AbortSignal.any([signal, upload.over.signal]),
      );
      upload.over.signal.throwIfAborted();
      const before = upload.tables.get(table);
      if (before === undefined) upload.timer.refresh();
      upload.tables.set(table, file);
      if (before !== undefined) await rm(before, { force: true });
      return received;
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      upload.coming.delete(table);
      // An upload without any table leaves no folder.
      if (upload.tables.size === 0 && upload.coming.size === 0) await this.#end(upload);
    }
  }

  /**
   * Writes the dataset completely or not at all. In either case the upload is over.
   * @throws {RequestError} for an unknown upload, for an upload whose tables are still arriving or that is already
   * being committed, and for a dataset that exists.
   */
  async commit(
    name: UploadName,
    overwrite: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly tables: number; readonly rows: number; readonly warnings: readonly string[] }> {
    const upload = await this.#known(name);
    refuseOver(upload);
    if (upload.coming.size > 0) {
      throw new RequestError("invalid", `tables are still coming: ${[...upload.coming].slice(0, 10).join(", ")}`);
    }
    // A table that arrived after this point would be confirmed without becoming part of the dataset.
    upload.isOver = true;
    clearTimeout(upload.timer);
    try {
      const place = await this.#folders.place(name.dataset);
      if (place.exists && !overwrite)
        throw new RequestError("exists", `${place.name} exists; say overwrite to replace it`);
      const tables = new Map<string, BatchStream>();
      for (const [table, file] of upload.tables) tables.set(table, await staged(file));
      const result = await write(place.path, tables, { overwrite, signal });
      const rows = result.tables.reduce((sum, table) => sum + table.rows, 0);
      return { tables: result.tables.length, rows, warnings: result.warnings };
    } finally {
      await this.#end(upload);
    }
  }

  /** @throws {RequestError} for an unknown upload, and for an upload that is being committed. */
  async abort(name: UploadName): Promise<void> {
    const upload = await this.#known(name);
    refuseOver(upload);
    await this.#end(upload);
  }

  async close(): Promise<void> {
    for (const { opening } of [...this.#uploads.values()]) await this.#end(await opening);
  }

  async #receive(
    upload: Upload,
    { table, file }: { readonly table: string; readonly file: string },
    { schema, batches }: BatchStream,
    signal: AbortSignal,
  ): Promise<Received> {
    const writer = streamWriter(schema);
    const handle = await open(file, "wx", 0o600);
    let rows = 0;
    let bytes = 0;
    const keep = async (chunks: readonly Uint8Array[]) => {
      for (const chunk of chunks) {
        bytes += chunk.length;
        upload.bytes += chunk.length;
        if (upload.bytes > this.#options.bytes) {
          throw new RequestError("too-large", `an upload of more than ${this.#options.bytes} bytes`);
        }
        if (upload.bytes - upload.progressed >= PROGRESS) {
          upload.progressed = upload.bytes;
          upload.timer.refresh();
        }
        // Unlike `write`, `writeFile` writes all bytes.
        await handle.writeFile(chunk);
      }
    };
    async function* noted() {
      for await (const batch of untilAborted(batches, signal)) {
        await keep(writer.batch(batch));
        rows += batch.numRows;
        yield batch;
      }
    }
    try {
      // A table that no format can store is refused while it is being received.
      const checked = await convertInputToColumns({ schema, batches: noted() }, { name: table });
      for await (const _ of checked.batches({ signal }));
      await keep(writer.end());
    } finally {
      await handle.close();
    }
    return { rows, bytes };
  }

  /** Returns the upload with this name, and starts it if it is new. */
  async #uploadOf(name: SentUpload): Promise<Upload> {
    const key = keyOf(name);
    const known = this.#uploads.get(key);
    if (known !== undefined) return known.opening;
    const { client } = name;
    const { most, mostOfOne } = this.#options;
    const own = [...this.#uploads.values()].filter((one) => one.client === client).length;
    if (own >= mostOfOne) {
      throw new RequestError("exhausted", `${own} uploads of yours are under way: commit or abort one of them first`);
    }
    if (this.#uploads.size >= most) throw new RequestError("exhausted", `more than ${most} uploads are under way`);
    const opening = this.#begin(key, name);
    this.#uploads.set(key, { client, opening });
    opening.catch(() => this.#uploads.delete(key));
    return opening;
  }

  async #begin(key: string, name: SentUpload): Promise<Upload> {
    const { path } = await this.#folders.place(name.dataset);
    // The folder is on the same disk as the dataset, and hidden from listings.
    const folder = join(dirname(path), await createTemporaryName(UPLOAD));
    await mkdir(folder, 0o700);
    const touch = () => utimes(folder, new Date(), new Date()).catch(() => undefined);
    const { time } = this.#options;
    const upload: Upload = {
      key,
      client: name.client,
      folder,
      unregister: registerCleanup(folder),
      touching: setInterval(() => void touch(), TOUCH).unref(),
      tables: new Map(),
      coming: new Set(),
      bytes: 0,
      progressed: 0,
      files: 0,
      timer: setTimeout(() => void this.#drop(upload), time).unref(),
      over: new AbortController(),
      isOver: false,
    };
    return upload;
  }

  /** Ends an upload that made no progress. If its folder cannot be removed now, it is removed when the process ends. */
  async #drop(upload: Upload): Promise<void> {
    const seconds = this.#options.time / 1000;
    upload.over.abort(
      new RequestError("deadline", `the upload has made no progress for ${seconds} s, and was dropped`),
    );
    await this.#end(upload).catch(() => undefined);
  }

  async #known(name: UploadName): Promise<Upload> {
    const upload = await this.#uploads.get(keyOf(name))?.opening;
    if (upload === undefined) {
      throw new RequestError("not-found", `no upload ${JSON.stringify(name.upload)} of ${name.dataset.join("/")}`);
    }
    return upload;
  }

  async #end(upload: Upload): Promise<void> {
    upload.isOver = true;
    upload.over.abort(new RequestError("cancelled", "the upload was ended meanwhile"));
    clearTimeout(upload.timer);
    this.#uploads.delete(upload.key);
    clearInterval(upload.touching);
    await rm(upload.folder, { recursive: true, force: true });
    upload.unregister();
  }
}

/** Yields batches until the signal is aborted, even while waiting for the next batch. */
async function* untilAborted(batches: BatchStream["batches"], signal: AbortSignal): AsyncGenerator<RecordBatch> {
  async function* all() {
    yield* batches;
  }
  const each = all();
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await unlessAborted(each.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // This is not awaited, because the source may wait forever for its next batch.
    void each.return(undefined).catch(() => undefined);
  }
}

/** Resolves to the promise's value, or rejects with the signal's reason if the signal is aborted before that. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function refuseOver({ isOver }: Upload): void {
  if (isOver) throw new RequestError("invalid", "the upload is committed just now");
}

function keyOf({ dataset, upload }: UploadName): string {
  return JSON.stringify([dataset.join("/"), upload]);
}

/**
 * Reads a table that has arrived. The file is opened again when the batches are read, so that thousands of tables do
 * not keep their files open.
 */
async function staged(file: string): Promise<BatchStream> {
  // The columns were counted when they arrived, so there is no limit here.
  const read = (bytes: ReadStream) => readIpcStream(bytes, { maxColumns: Number.POSITIVE_INFINITY });
  const bytes = createReadStream(file);
  const { schema } = await read(bytes).finally(() => bytes.destroy());
  async function* batches() {
    yield* (await read(createReadStream(file))).batches;
  }
  return { schema, batches: batches() };
}
