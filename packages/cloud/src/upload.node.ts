/** Uploads files to an object store, with bounded memory. */

import { type FileHandle, open } from "node:fs/promises";
import { Slots } from "annarrow/core/io";
import { processConcurrently } from "annarrow/core/kernels";
import type { CloudWriter, PutOptions } from "./objects/cloud-store.js";

/** Maximum number of bytes in memory, unless a single part is larger. */
const MAX_BYTES = 1 << 26;

/** Number of concurrent uploads. Each small file takes a round trip. */
export const FILES_AT_ONCE = 16;

/** Uploads files. Concurrent uploads share the memory limit. */
export class Uploader {
  readonly #writer: CloudWriter;
  readonly #memory = new Slots(MAX_BYTES);

  constructor(writer: CloudWriter) {
    this.#writer = writer;
  }

  /**
   * Stores a file as an object, which appears whole or not at all.
   * @throws {ConditionError} if the condition does not hold.
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
      await processConcurrently(parts, upload.atOnce, ({ index, at, length }) =>
        this.#read(file, at, length, (bytes) => upload.part(index, bytes)),
      );
      options.signal?.throwIfAborted();
      await this.#read(file, end, size - end, (bytes) => upload.complete(bytes));
    } catch (error) {
      // The original error is reported. Parts that cannot be removed remain in the service, but are not visible.
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

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
