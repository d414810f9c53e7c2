/** Uploads files to an object store, with bounded memory. */

import { type FileHandle, open } from "node:fs/promises";
import type { CloudWriter, PutOptions } from "../cloud/objects/cloud-store.js";
import { forEachAtOnce } from "../kernels/values/for-each-at-once.js";
import { Slots } from "./slots.js";

/** Most bytes in memory, unless one part has more. */
const MOST_BYTES = 1 << 26;

/** Files under way at once: a small file takes one round trip. */
export const FILES_AT_ONCE = 16;

/** Uploads files; those that are under way at once share the memory. */
export class Uploader {
  readonly #writer: CloudWriter;
  readonly #memory = new Slots(MOST_BYTES);

  constructor(writer: CloudWriter) {
    this.#writer = writer;
  }

  /**
   * Stores a file as an object, which appears whole or not at all.
   * @throws {ConditionError} where the condition does not hold.
   */
  async file(key: string, path: string, options: PutOptions): Promise<void> {
    const file = await open(path, "r");
    try {
      await this.#parts(key, file, options);
    } finally {
      await file.close();
    }
  }

  async #parts(key: string, file: FileHandle, options: PutOptions): Promise<void> {
    const { size } = await file.stat();
    const upload = await this.#writer.upload(key, options);
    const parts: { readonly index: number; readonly at: number; readonly length: number }[] = [];
    let end = 0;
    for (let length = upload.partBytes(0); size - end >= length; length = upload.partBytes(parts.length)) {
      parts.push({ index: parts.length, at: end, length });
      end += length;
    }
    try {
      await forEachAtOnce(parts, upload.atOnce, ({ index, at, length }) =>
        this.#read(file, at, length, (bytes) => upload.part(index, bytes)),
      );
      options.signal?.throwIfAborted();
      await this.#read(file, end, size - end, (bytes) => upload.complete(bytes));
    } catch (error) {
      // The reason of the failure counts. Parts that cannot be removed are left to the service, which hides them.
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /** Reads a part of the file into memory, and passes it on. */
  #read(
    file: FileHandle,
    at: number,
    length: number,
    send: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  ): Promise<void> {
    return this.#memory.run(async () => {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(bytes, done, length - done, at + done);
        if (bytesRead === 0) throw new TypeError("the file was cut while it was uploaded");
        done += bytesRead;
      }
      await send(bytes);
    }, length);
  }
}
