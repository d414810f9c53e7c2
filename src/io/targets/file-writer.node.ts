import { runFileOperation } from "../../model/system-error.node.js";
import { type FileSystem, nodeFiles, type WrittenHandle } from "./file-system.node.js";

/** Maximum size in bytes of a small write, and of a block. Adjacent small writes are combined into one call. */
const SMALL = 1 << 16;
const GATHERED = 1 << 20;

/** Initial size of the write buffer. */
const LEAST = 1 << 12;

/** Maximum number of bytes per call. The system writes less than 2 GiB at a time. */
const AT_ONCE = 1 << 30;

/** Number of bytes written between two flushes, so that the disk is busy while the caller produces more. */
const FLUSHED = 1 << 25;

export interface NewFileOptions {
  readonly files?: FileSystem;
  /** Permissions for the file, from which the process's umask removes some. */
  readonly mode?: number;
}

/** A new file that is open for writing at any offset. */
export class FileWriter {
  readonly #path: string;
  readonly #source: string;
  readonly #files: FileSystem;
  readonly #handle: WrittenHandle;

  #gathered = new Uint8Array(0);
  #gatheredAt = 0;
  #gatheredLength = 0;
  /**
   * The pending write of the last gathered bytes, which never rejects. No later write may overtake it, because the
   * caller assumes that these bytes have been written.
   */
  #sending: Promise<void> = Promise.resolve();

  readonly #underWay = new Set<Promise<void>>();
  #unflushed = 0;
  #flushing = false;
  /** The error from a write for which no caller was waiting. */
  #failure: unknown = null;

  private constructor(path: string, source: string, files: FileSystem, handle: WrittenHandle) {
    this.#files = files;
    this.#path = path;
    this.#source = source;
    this.#handle = handle;
  }

  /**
   * Creates the file `path`, which must not exist; error messages call it `source`.
   * @throws the system's error.
   */
  static async create(path: string, source: string, options: NewFileOptions = {}): Promise<FileWriter> {
    const { files = nodeFiles, mode = 0o666 } = options;
    return new FileWriter(path, source, files, await files.create(path, mode));
  }

  /**
   * Writes `bytes` at `offset`. Overlapping writes must be awaited one by one; other writes may run concurrently. Once
   * the promise resolves, the memory may be reused.
   * @throws {InvalidInputError} if the disk refuses these bytes, or has refused earlier ones.
   */
  async write(offset: number, bytes: Uint8Array): Promise<void> {
    this.#check();
    if (bytes.length < SMALL) {
      if (this.#gather(offset, bytes)) return;
      await this.#send();
      this.#check();
      // Another write may have begun a new block meanwhile.
      if (this.#gather(offset, bytes)) return;
    } else if (offset < this.#gatheredAt + this.#gatheredLength && this.#gatheredAt < offset + bytes.length) {
      await this.#send();
    }
    await this.#sending;
    this.#check();
    await this.#track(this.#put(offset, bytes));
  }

  /** Writes `chunks` from the start of the file, and finishes the file. Removes the file if this fails. */
  async writeAll(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      let at = 0;
      for await (const chunk of chunks) {
        await this.write(at, chunk);
        at += chunk.length;
      }
      await this.finish();
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  async finish(): Promise<void> {
    await this.#settle();
    this.#check();
    await runFileOperation(this.#source, () => this.#handle.sync());
    await runFileOperation(this.#source, () => this.#handle.close());
  }

  /** Closes the file and removes it. */
  async discard(): Promise<void> {
    this.#gatheredLength = 0;
    await this.#settle();
    await this.#handle.close().catch(() => undefined);
    await this.#files.remove(this.#path);
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /**
   * Appends `bytes` to the write buffer. Returns false if `bytes` do not directly follow the buffered bytes, or do not
   * fit.
   */
  #gather(offset: number, bytes: Uint8Array): boolean {
    if (this.#gatheredLength === 0) this.#gatheredAt = offset;
    else if (offset !== this.#gatheredAt + this.#gatheredLength) return false;
    if (this.#gatheredLength + bytes.length > GATHERED) return false;
    this.#reserve(this.#gatheredLength + bytes.length);
    this.#gathered.set(bytes, this.#gatheredLength);
    this.#gatheredLength += bytes.length;
    return true;
  }

  /**
   * Makes room for `bytes` gathered bytes. The memory grows step by step, because a small file does not need a whole
   * block.
   */
  #reserve(bytes: number): void {
    if (bytes <= this.#gathered.length) return;
    const larger = new Uint8Array(Math.min(GATHERED, Math.max(LEAST, 4 * bytes)));
    larger.set(this.#gathered.subarray(0, this.#gatheredLength));
    this.#gathered = larger;
  }

  /** Writes the gathered bytes to the file, after all bytes that were sent before. */
  #send(): Promise<void> {
    if (this.#gatheredLength > 0) {
      const buffer = this.#gathered;
      const bytes = buffer.subarray(0, this.#gatheredLength);
      const offset = this.#gatheredAt;
      this.#gathered = new Uint8Array(0);
      this.#gatheredLength = 0;
      this.#sending = this.#sending
        .then(() => this.#put(offset, bytes))
        .catch((error: unknown) => {
          this.#failure ??= error;
        })
        .then(() => {
          if (this.#gathered.length === 0) this.#gathered = buffer;
        });
    }
    return this.#sending;
  }

  async #put(offset: number, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(bytes.length - done, AT_ONCE);
      const { bytesWritten } = await runFileOperation(this.#source, () =>
        this.#handle.write(bytes, done, length, offset + done),
      );
      done += bytesWritten;
    }
    this.#unflushed += bytes.length;
    if (this.#unflushed >= FLUSHED && !this.#flushing) this.#flush();
  }

  /**
   * Flushes in the background. Otherwise the system would start flushing late, and closing would have to wait for the
   * disk.
   */
  #flush(): void {
    this.#unflushed = 0;
    this.#flushing = true;
    const flushed = runFileOperation(this.#source, () => this.#handle.datasync()).then(
      () => {
        this.#flushing = false;
      },
      (error: unknown) => {
        this.#failure ??= error;
      },
    );
    void this.#track(flushed);
  }

  #track(work: Promise<void>): Promise<void> {
    this.#underWay.add(work);
    const ended = () => {
      this.#underWay.delete(work);
    };
    work.then(ended, ended);
    return work;
  }

  /** Resolves when no write is in progress. */
  async #settle(): Promise<void> {
    await this.#send();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }
}
