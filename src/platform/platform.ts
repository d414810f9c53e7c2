/**
 * The functions that Node has and that web pages lack or have in another form, as one object. Import it as `#platform`:
 * the conditions of `imports` in package.json select `platform.node.ts` in Node and `web.ts` elsewhere. All other
 * modules may depend on it. Code for files and folders is therefore selected in its own module (`#platform/spill`), or
 * passed in by the entries for Node.
 */

export interface Platform {
  /**
   * Compresses a whole stream at a level of 0 to 9; null if the platform can only compress streams, at a fixed level.
   */
  readonly deflate: Deflate | null;
  /** Compresses to non-final deflate blocks that end at a byte boundary; null if the platform cannot do this. */
  readonly deflatePart: ((bytes: Uint8Array, level: number) => Uint8Array) | null;
  /** Compresses to one gzip member. */
  readonly gzip: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly zstd: Zstd | null;
  /** @param before the CRC of the preceding bytes, if any. */
  readonly crc32: ((bytes: Uint8Array, before?: number) => number) | null;
  /** null if the platform has no workers. */
  readonly threads: Threads | null;
  /** Loads the build of h5wasm that opens files in place by path; null if the platform has no files. */
  readonly h5wasmOnFiles: (() => Promise<typeof import("h5wasm")>) | null;
}

export type Deflate = (bytes: Uint8Array, form: "zlib" | "gzip", level: number) => Uint8Array;

export interface Zstd {
  /** Compresses to one zstd frame. */
  compress(bytes: Uint8Array, level: number): Uint8Array;
  /**
   * Returns the first frame.
   * @throws {Error} if the frame is corrupt, or decompresses to more than `most` bytes.
   */
  decompress(bytes: Uint8Array, most: number): Uint8Array;
}

export interface Threads {
  /** Number of threads: one per CPU core. */
  readonly count: number;
  start(events: ThreadEvents): Thread;
  /** Warns the user that no worker can be started, so one thread does all the work. It is called at most once. */
  unavailable?(reason: string): void;
}

export interface Thread {
  /** Sends a request. The memory in `transfer` is moved, not copied. */
  post(request: unknown, transfer: ArrayBuffer[]): void;
  /** Lets the process end while this thread is idle; `busy` revokes this. It has no effect in a browser. */
  idle(): void;
  busy(): void;
  stop(): void;
}

export interface ThreadEvents {
  reply(reply: unknown): void;
  /** The worker ended unexpectedly, or could not start. */
  failure(reason: string): void;
}
