import { type FileHandle, open } from "node:fs/promises";

/** Size in bytes of a write buffer. One buffer is written while the next one is filled. */
const BLOCK = 1 << 20;

/** Maximum number of bytes per call. The system writes less than 2 GiB at a time. */
const AT_ONCE = 1 << 30;

/** Number of bytes written between two flushes, so that the disk is busy while the caller produces more. */
const FLUSHED = 1 << 23;

/** A new file to which only one caller at a time appends. Throws the system's errors. */
export class ValueFile {
  readonly #handle: FileHandle;
  /** Appended bytes that have not been written yet. The buffer grows up to `BLOCK`. */
  #block = new Uint8Array(0);
  #filled = 0;
  /** The second buffer, and the promise for writing it, which never rejects. */
  #other = new Uint8Array(0);
  #sending: Promise<void> = Promise.resolve();
  #at = 0;
  #unflushed = 0;
  #flushing: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Creates the file `path`, which must not exist yet. */
  static async create(path: string): Promise<ValueFile> {
    return new ValueFile(await open(path, "wx"));
  }

  get length(): number {
    return this.#at + this.#filled;
  }

  /** Appends bytes. Once the promise resolves, the caller may reuse the memory. */
  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length >= BLOCK) {
      this.#send();
      await this.#sent();
      await this.#put(bytes, this.#at);
      this.#at += bytes.length;
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + BLOCK - this.#filled);
      this.#reserve(this.#filled + part.length);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled < BLOCK) return;
      await this.#sent();
      this.#send();
    }
  }

  /** Writes the remaining bytes and closes the file, without flushing it to the disk. */
  async close(): Promise<void> {
    try {
      await this.#sent();
      this.#send();
      await this.#sent();
    } finally {
      await this.#flushing;
      await this.#handle.close();
    }
  }

  /** Closes the file without writing the remaining bytes. */
  async discard(): Promise<void> {
    await this.#sending;
    await this.#flushing;
    await this.#handle.close().catch(() => undefined);
  }

  #reserve(bytes: number): void {
    if (this.#block.length >= bytes) return;
    const larger = new Uint8Array(Math.min(BLOCK, Math.max(bytes, 4 * this.#block.length)));
    larger.set(this.#block.subarray(0, this.#filled));
    this.#block = larger;
  }

  /** Starts to write the current buffer, and switches to the other one. */
  #send(): void {
    const block = this.#block;
    const bytes = block.subarray(0, this.#filled);
    const offset = this.#at;
    this.#at += this.#filled;
    this.#filled = 0;
    this.#block = this.#other;
    this.#other = block;
    if (bytes.length === 0) return;
    this.#sending = this.#sending
      .then(() => this.#put(bytes, offset))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
  }

  /** Waits until the other buffer is free. */
  async #sent(): Promise<void> {
    await this.#sending;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #put(bytes: Uint8Array, offset: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(bytes.length - done, AT_ONCE);
      done += (await this.#handle.write(bytes, done, length, offset + done)).bytesWritten;
    }
    this.#unflushed += bytes.length;
    if (this.#unflushed < FLUSHED || this.#flushing !== null) return;
    this.#unflushed = 0;
    this.#flushing = this.#handle.datasync().then(
      () => {
        this.#flushing = null;
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
  }
}
