/** Reads a file on the web by ranges, with small reads through a cache of blocks. */

import type { HttpOptions } from "../../http/http-exchange.js";
import { addAbortAction } from "../../http/retry.js";
import { checkRange } from "../memory.js";
import type { ByteSource, FileStamp, ReadOptions, WebPlan, WebVersion } from "../source.js";
import { createKnownHttpFile, type HttpFileOptions, openHttpFile } from "./http-file.js";
import { createWebPlan } from "./web-plan.js";

/** Size in bytes of one block, and of the first request. */
const BLOCK_BYTES = 1 << 16;

export interface RemoteFileOptions extends HttpFileOptions {
  /** Request options for the file's plan, if an address scheme's `fetch` sends the requests. */
  readonly planOptions?: { readonly http: HttpOptions; readonly scheme: WebPlan["scheme"] };
}

/**
 * Opens a file on the web.
 * @throws the same errors as `openHttpFile`.
 */
export async function openRemoteFile(
  url: string | URL,
  options: RemoteFileOptions = {},
  read?: ReadOptions,
): Promise<ByteSource> {
  const { headBytes = BLOCK_BYTES } = options;
  const { source, head, version } = await openHttpFile(url, { ...options, headBytes }, read);
  const { name, size } = source;
  if (head.length === size) return source;
  const { planOptions: { http = options, scheme = null } = {} } = options;
  const plan = createWebPlan({ url: String(url), name, version: { ...version, size } }, http, scheme);
  return createBlockCache(source, { blockBytes: BLOCK_BYTES, head, plan: plan ?? undefined });
}

/** Reopens the file described by a plan. The file must still have the version that was opened first. */
export function reopenPlannedFile({ url, name }: WebPlan, version: WebVersion, options: HttpOptions): ByteSource {
  return createBlockCache(createKnownHttpFile(url, version, { ...options, name }), { blockBytes: BLOCK_BYTES });
}

export interface BlockCacheOptions {
  /** Size of a block in bytes; default 64 KiB. */
  readonly blockBytes?: number;
  /** Maximum number of cached bytes; default 8 MiB. The most recently used blocks are cached. */
  readonly keptBytes?: number;
  /** The beginning of the source, if it has already been read. */
  readonly head?: Uint8Array;
  readonly plan?: WebPlan;
}

/** Maximum number of blocks in a cached read. A larger read is fetched directly. */
const LARGE_BLOCKS = 4;

/** A pending fetch of neighbouring blocks. */
interface Flight {
  readonly firstBlock: number;
  readonly endBlock: number;
  readonly bytes: Promise<Uint8Array>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Reads in blocks of fixed size. Neighbouring missing blocks are fetched in one read, a block is never requested twice
 * at the same time, and a read is aborted only if all its callers have cancelled it.
 */
export function createBlockCache(source: ByteSource, options: BlockCacheOptions = {}): ByteSource {
  return new BlockCache(source, options);
}

class BlockCache implements ByteSource {
  readonly kind = "bytes";
  readonly name: string;
  readonly size: number;
  readonly plan?: WebPlan;
  readonly stamp?: FileStamp;
  readonly #source: ByteSource;
  readonly #block: number;
  readonly #keptBlocks: number;
  /** Cached blocks, most recently used last. */
  readonly #kept = new Map<number, Uint8Array>();
  readonly #flights = new Map<number, Flight>();

  constructor(source: ByteSource, { blockBytes = 1 << 16, keptBytes = 8 << 20, head, plan }: BlockCacheOptions) {
    this.name = source.name;
    this.size = source.size;
    if (plan !== undefined) this.plan = plan;
    if (source.stamp !== undefined) this.stamp = source.stamp;
    this.#source = source;
    this.#block = blockBytes;
    this.#keptBlocks = Math.max(1, Math.floor(keptBytes / blockBytes));
    if (head !== undefined) this.#keep(0, head);
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array> {
    options?.signal?.throwIfAborted();
    checkRange(start, end, this.size, this.name);
    if (end - start > LARGE_BLOCKS * this.#block) return await this.#source.read(start, end, options);
    // The bytes are copied, because a view would keep the blocks in memory.
    const result = new Uint8Array(end - start);
    const copy = (at: number, bytes: Uint8Array) => {
      const from = Math.max(start, at);
      const to = Math.min(end, at + bytes.length);
      result.set(bytes.subarray(from - at, to - at), from - start);
    };
    const endBlock = Math.ceil(end / this.#block);
    const flights = new Set<Flight>();
    for (let block = Math.floor(start / this.#block); block < endBlock && start < end; block++) {
      const known = this.#kept.get(block);
      if (known === undefined) {
        flights.add(this.#flights.get(block) ?? this.#fetch(block, endBlock));
        continue;
      }
      this.#kept.delete(block);
      this.#kept.set(block, known);
      copy(block * this.#block, known);
    }
    await Promise.all(
      Array.from(flights, async (flight) => {
        copy(flight.firstBlock * this.#block, await this.#wait(flight, options?.signal));
      }),
    );
    return result;
  }

  async close(): Promise<void> {
    this.#kept.clear();
    await this.#source.close();
  }

  /** Starts fetching `firstBlock` and the missing blocks directly after it, up to `endBlock`. */
  #fetch(firstBlock: number, endBlock: number): Flight {
    let end = firstBlock + 1;
    while (end < endBlock && !this.#kept.has(end) && !this.#flights.has(end)) end++;
    const controller = new AbortController();
    const [from, to] = [firstBlock * this.#block, Math.min(end * this.#block, this.size)];
    const bytes = this.#source.read(from, to, { signal: controller.signal });
    const flight: Flight = { firstBlock, endBlock: end, bytes, controller, waiting: 0 };
    for (let block = firstBlock; block < end; block++) this.#flights.set(block, flight);
    bytes.then(
      (fetched) => {
        this.#forget(flight);
        this.#keep(firstBlock, fetched);
      },
      () => this.#forget(flight),
    );
    return flight;
  }

  async #wait(flight: Flight, signal: AbortSignal | undefined): Promise<Uint8Array> {
    flight.waiting++;
    try {
      return await unlessAborted(flight.bytes, signal);
    } finally {
      if (--flight.waiting === 0) {
        this.#forget(flight);
        flight.controller.abort();
      }
    }
  }

  #forget(flight: Flight): void {
    for (let block = flight.firstBlock; block < flight.endBlock; block++) {
      if (this.#flights.get(block) === flight) this.#flights.delete(block);
    }
  }

  /** Caches the complete blocks in `bytes`, and the last block of the source. */
  #keep(firstBlock: number, bytes: Uint8Array): void {
    const size = this.#block;
    for (let block = firstBlock, at = 0; at < bytes.length; block++, at += size) {
      const length = Math.min(size, this.size - block * size);
      if (at + length > bytes.length) break;
      // A view would keep all blocks of the read in memory.
      this.#kept.set(block, length === bytes.length ? bytes : bytes.slice(at, at + length));
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#keptBlocks) break;
      this.#kept.delete(oldest);
    }
  }
}

/** Waits for `promise`, but rejects with the signal's reason as soon as the signal is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const takeBack = addAbortAction(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(takeBack);
  });
}
