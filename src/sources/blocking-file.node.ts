import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { InvalidDataError } from "../errors.js";
import { fileError, fileIdentity } from "./file.node.js";
import { checkRange } from "./memory.js";
import type { ByteSource, ReadOptions } from "./source.js";

/**
 * A file for a thread of its own: reads block, which spares the way through the thread pool.
 * @param identity of the file that is meant.
 * @throws {InvalidDataError} where another file stands at that path by now.
 */
export function blockingFileSource(path: string, identity: string): ByteSource {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    throw fileError(cause, path);
  }
  const info = fstatSync(file);
  if (fileIdentity(info) !== identity) {
    closeSync(file);
    throw new InvalidDataError("the file was changed while it was read", { source: path });
  }
  async function readInto(start: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    const end = start + target.length;
    checkRange(start, end, info.size, path);
    for (let done = 0; done < target.length; ) {
      const count = readSync(file, target, done, target.length - done, start + done);
      if (count === 0) {
        throw new InvalidDataError(`the file ended at byte ${start + done}, expected ${end}`, { source: path });
      }
      done += count;
    }
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
    close: async () => closeSync(file),
  };
}
