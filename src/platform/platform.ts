/**
 * What Node has and pages lack, or have in another form, as one object. Import it as `#platform`: the conditions of
 * `imports` in package.json choose `platform.node.ts` in Node, `web.ts` elsewhere. It stands below everything else, so
 * what stands on files and folders is chosen where it belongs (`#platform/spill`), or is passed by the entries for Node.
 */

export interface Platform {
  /** Decompresses a whole stream at once; null where that can only be done piece by piece. */
  readonly inflate: Inflate | null;
  /** One stream at once, at a level of 0 to 9; null where that can only be done piece by piece, at a level of its own. */
  readonly deflate: Deflate | null;
  /** Blocks of deflate that end at a byte, none of them the last; null where a stream cannot end so. */
  readonly deflatePart: ((bytes: Uint8Array, level: number) => Uint8Array) | null;
  /** One gzip member. */
  readonly gzip: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** What the pieces of a gzip file decompress to; errors of `stored` come out as they are, or as another error. */
  readonly gunzip: (stored: AsyncIterable<Uint8Array>) => AsyncIterator<Uint8Array, unknown>;
  readonly zstd: Zstd | null;
  /** @param before the CRC of the bytes before, where there are any. */
  readonly crc32: ((bytes: Uint8Array, before?: number) => number) | null;
  /** null where there are no workers. */
  readonly threads: Threads | null;
  /** The build of h5wasm that opens files in place by their path; null where there are no files. */
  readonly h5wasmOnFiles: (() => Promise<typeof import("h5wasm")>) | null;
}

/**
 * Gives at most `size.bytes` bytes, checksums verified.
 * @throws {RangeError} where there are more; another error where the stream is corrupt.
 */
export type Inflate = (
  bytes: Uint8Array,
  format: "raw" | "zlib" | "gzip",
  size: { readonly bytes: number; readonly exact: boolean },
) => Uint8Array;

export type Deflate = (bytes: Uint8Array, form: "zlib" | "gzip", level: number) => Uint8Array;

export interface Zstd {
  /** One frame. */
  compress(bytes: Uint8Array, level: number): Uint8Array;
  /**
   * The first frame.
   * @throws {Error} where it is corrupt, or gives more than `most` bytes.
   */
  decompress(bytes: Uint8Array, most: number): Uint8Array;
}

export interface Threads {
  /** As many as there are cores. */
  readonly count: number;
  /** Starts a worker of jobs. */
  start(events: ThreadEvents): Thread;
  /** Tells the user that none can be started, so that one thread does all the work; called once at most. */
  unavailable?(reason: string): void;
}

export interface Thread {
  /** Sends a request; the memory in `transfer` moves. */
  post(request: unknown, transfer: ArrayBuffer[]): void;
  /** Lets the process end while this thread has nothing to do; `busy` keeps it. Means nothing in a browser. */
  idle(): void;
  busy(): void;
  stop(): void;
}

export interface ThreadEvents {
  reply(reply: unknown): void;
  /** It ended by itself, or could not begin. */
  failure(reason: string): void;
}
