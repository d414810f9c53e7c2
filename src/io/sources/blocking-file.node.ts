/**
 * Opens sources for a worker from their plans. Files are read synchronously, since nothing else waits for the worker
 * thread.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { InvalidDataError } from "../../model/errors.js";
import { openDirectorySource } from "./directory.node.js";
import { getFileIdentity, toFileError } from "./file.node.js";
import { checkRange } from "./memory.js";
import { SeenFiles } from "./seen-files.js";
import type { ByteSource, ReadOptions } from "./source.js";
import type { OpenLocal } from "./source-plan.js";

/**
 * Opens a file for blocking reads, which avoid the detour through the thread pool.
 * @param identity the `getFileIdentity` of the expected file.
 * @throws {InvalidDataError} if the path now belongs to another file.
 */
export function openBlockingFileSource(path: string, identity: string): ByteSource {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    throw toFileError(cause, path);
  }
  const info = fstatSync(file);
  if (getFileIdentity(info) !== identity) {
    closeSync(file);
    throw new InvalidDataError("the file was changed while it was read", { source: path, code: "source-changed" });
  }
  /** Fills [at, end) of `target` with the bytes from `start` on. */
  function fill(target: Uint8Array, at: number, end: number, start: number): void {
    for (let done = at; done < end; ) {
      const count = readSync(file, target, done, end - done, start + done - at);
      if (count === 0) {
        const [found, expected] = [start + done - at, start + end - at];
        throw new InvalidDataError(`the file ended at byte ${found}, expected ${expected}`, {
          ...{ source: path, code: "source-changed" },
        });
      }
      done += count;
    }
  }
  async function readInto(start: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    checkRange(start, start + target.length, info.size, path);
    fill(target, 0, target.length, start);
  }
  return {
    kind: "bytes",
    name: path,
    size: info.size,
    async read(start, end, options) {
      checkRange(start, end, info.size, path);
      const bytes = new Uint8Array(end - start);
      await readInto(start, bytes, options);
      return bytes;
    },
    readInto,
    async readPieces({ start, length, count, step, targetStep }, target, options) {
      options?.signal?.throwIfAborted();
      if (count === 0) return;
      checkRange(start, start + (count - 1) * step + length, info.size, path);
      for (let i = 0; i < count; i++) fill(target, i * targetStep, i * targetStep + length, start + i * step);
    },
    close: async () => closeSync(file),
  };
}

export const openLocalPlan: OpenLocal = async ({ kind, path, identity, seen }) => {
  if (kind === "file") return openBlockingFileSource(path, identity);
  return openDirectorySource(path, identity === "" ? null : Number(identity), new SeenFiles(seen));
};
