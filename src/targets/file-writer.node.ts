import { type FileHandle, open, rm } from "node:fs/promises";
import { onDisk } from "../model/system-error.node.js";

/** Smaller writes that follow each other are gathered, so that they cost one call in all. */
const SMALL = 1 << 16;
const GATHERED = 1 << 20;

/** Room for them that is made at first. */
const LEAST = 1 << 12;

/** One write takes less than 2 GiB. */
const AT_ONCE = 1 << 30;

/** The disk is kept busy while more is made: so much is written between two flushes. */
const FLUSHED = 1 << 25;

/** A new file, open for writing at any offset. */
export class FileWriter {
  readonly #path: string;
  readonly #source: string;
  readonly #handle: FileHandle;

  #gathered = new Uint8Array(0);
  #gatheredAt = 0;
  #gatheredLength = 0;
  /** The last gathered bytes on their way; never rejects. Nothing may overtake them: their writer believes them written. */
  #sending: Promise<void> = Promise.resolve();

  readonly #underWay = new Set<Promise<void>>();
  #unflushed = 0;
  #flushing = false;
  /** What went wrong when nobody was waiting. */
  #failure: unknown = null;

  private constructor(path: string, source: string, handle: FileHandle) {
    this.#path = path;
    this.#source = source;
    this.#handle = handle;
  }

  /**
   * Makes the file `path`, which must not exist; errors call it `source`.
   * @throws the system's error.
   */
  static async create(path: string, source: string): Promise<FileWriter> {
    return new FileWriter(path, source, await open(path, "wx"));
  }

  /**
   * Writes that overlap come in the order in which they are asked for where each is awaited; others may be under way
   * together. Once it resolves the memory may be used again.
   * @throws {InvalidInputError} where the disk refuses these bytes, or refused earlier ones.
   */
  async write(offset: number, bytes: Uint8Array): Promise<void> {
    this.#check();
    if (bytes.length < SMALL) {
      if (this.#gather(offset, bytes)) return;
      await this.#send();
      this.#check();
      // Another write may have begun to gather meanwhile.
      if (this.#gather(offset, bytes)) return;
    } else if (offset < this.#gatheredAt + this.#gatheredLength && this.#gatheredAt < offset + bytes.length) {
      await this.#send();
    }
    await this.#sending;
    this.#check();
    await this.#track(this.#put(offset, bytes));
  }

  /** Writes `chunks` from the start on, and finishes; where either fails, the file is gone. */
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

  /** Flushes everything to the disk and closes the file. */
  async finish(): Promise<void> {
    await this.#settle();
    this.#check();
    await onDisk(this.#source, () => this.#handle.sync());
    await onDisk(this.#source, () => this.#handle.close());
  }

  /** Closes the file and removes it. */
  async discard(): Promise<void> {
    this.#gatheredLength = 0;
    await this.#settle();
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Copies `bytes` behind those that are gathered; false where they belong elsewhere, or there is no room. */
  #gather(offset: number, bytes: Uint8Array): boolean {
    if (this.#gatheredLength === 0) this.#gatheredAt = offset;
    else if (offset !== this.#gatheredAt + this.#gatheredLength) return false;
    if (this.#gatheredLength + bytes.length > GATHERED) return false;
    this.#reserve(this.#gatheredLength + bytes.length);
    this.#gathered.set(bytes, this.#gatheredLength);
    this.#gatheredLength += bytes.length;
    return true;
  }

  /** Room for so many bytes: a small file does not take all that a large one needs. */
  #reserve(bytes: number): void {
    if (bytes <= this.#gathered.length) return;
    const larger = new Uint8Array(Math.min(GATHERED, Math.max(LEAST, 4 * bytes)));
    larger.set(this.#gathered.subarray(0, this.#gatheredLength));
    this.#gathered = larger;
  }

  /** Sends what is gathered to the file, after what was sent before. */
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
      const { bytesWritten } = await onDisk(this.#source, () => this.#handle.write(bytes, done, length, offset + done));
      done += bytesWritten;
    }
    this.#unflushed += bytes.length;
    if (this.#unflushed >= FLUSHED && !this.#flushing) this.#flush();
  }

  /** Without it the system begins late, and the end waits for the disk while nothing is made. */
  #flush(): void {
    this.#unflushed = 0;
    this.#flushing = true;
    const flushed = onDisk(this.#source, () => this.#handle.datasync()).then(
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

  /** Resolves when nothing is under way. */
  async #settle(): Promise<void> {
    await this.#send();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }
}
