/** Spills to a temporary file. If the system allows it, the open file has no name, so a crash leaves no file behind. */

import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTemporaryName, registerCleanup, removeLeftovers } from "../../io/targets/temporary-output.node.js";
import { InvalidDataError, InvalidInputError } from "../../model/errors.js";
import { describeSystemError, hasCode, runFileOperation } from "../../model/system-error.node.js";
import type { NewSpill, Spill } from "./spill.js";

export const newSpill: NewSpill = () => createTemporarySpill();

/**
 * Creates a spill in a file in `folder`. The file is created when the first bytes are appended.
 * @param folder folder with room for all entries; by default the system's folder for temporary files.
 */
export function createTemporarySpill(folder: string = tmpdir()): Spill {
  let file: Promise<SpillFile> | null = null;
  return {
    name: folder,
    async append(parts) {
      file ??= SpillFile.create(folder);
      return (await file).append(parts);
    },
    async read(offset, target) {
      if (file === null) throw new InvalidDataError(`nothing was spilled, but byte ${offset} is asked for`);
      await (await file).read(offset, target);
    },
    async remove() {
      const old = file;
      file = null;
      await (await old?.catch(() => null))?.remove();
    },
  };
}

/** Prefix of the temporary file's name. */
const NAME = "annarrow-sort";

/** Bytes per call. The operating system transfers less than 2 GiB in one call. */
const AT_ONCE = 2 ** 30;

/** Environment variable that contains the folder for temporary files. */
const VARIABLE = process.platform === "win32" ? "TEMP" : "TMPDIR";

/**
 * Runs `action`, which creates or writes the temporary file `name`.
 * @throws {InvalidInputError} if the file system refuses; the message explains how to choose another folder.
 */
async function inFolder<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const isFull = hasCode(cause, "ENOSPC", "EDQUOT", "EFBIG");
    const folder = isFull ? "a folder with more room" : "a folder that can be written";
    throw new InvalidInputError(`cannot be written: ${describeSystemError(cause)}; set ${VARIABLE} to ${folder}`, {
      ...{ source: name, cause, code: "outside" },
    });
  }
}

class SpillFile {
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #removed: () => void;
  #size = 0;

  private constructor(name: string, handle: FileHandle, path: string, removed: () => void) {
    this.#name = name;
    this.#handle = handle;
    this.#path = path;
    this.#removed = removed;
  }

  static async create(folder: string): Promise<SpillFile> {
    const name = `temporary file in ${folder}`;
    const path = join(folder, await createTemporaryName(NAME));
    const removed = registerCleanup(path);
    const handle = await inFolder(name, () => open(path, "wx+", 0o600)).catch((error: unknown) => {
      removed();
      throw error;
    });
    // Leftovers are removed without a warning: they are copies of data that exists elsewhere.
    await removeLeftovers(folder, { name: NAME });
    // An open file stays usable after its name is removed. Windows refuses to remove an open file, so `remove` deletes
    // it.
    if (process.platform !== "win32") await rm(path).then(removed, () => undefined);
    return new SpillFile(name, handle, path, removed);
  }

  async append(parts: readonly Uint8Array[]): Promise<number> {
    const offset = this.#size;
    const writes: Promise<void>[] = [];
    for (const part of parts) {
      writes.push(this.#write(this.#size, part));
      this.#size += part.length;
    }
    // All writes end before the caller may use the memory again.
    for (const result of await Promise.allSettled(writes)) if (result.status === "rejected") throw result.reason;
    return offset;
  }

  async #write(offset: number, part: Uint8Array): Promise<void> {
    for (let at = 0; at < part.length; ) {
      const length = Math.min(AT_ONCE, part.length - at);
      const { bytesWritten } = await inFolder(this.#name, () => this.#handle.write(part, at, length, offset + at));
      at += bytesWritten;
    }
  }

  async read(offset: number, target: Uint8Array): Promise<void> {
    for (let at = 0; at < target.length; ) {
      const length = Math.min(AT_ONCE, target.length - at);
      const { bytesRead } = await runFileOperation(this.#name, () =>
        this.#handle.read(target, at, length, offset + at),
      );
      if (bytesRead === 0) {
        throw new InvalidDataError(`ends at byte ${offset + at}, expected ${offset + target.length}`, {
          source: this.#name,
        });
      }
      at += bytesRead;
    }
  }

  async remove(): Promise<void> {
    await this.#handle.close();
    await rm(this.#path, { force: true });
    this.#removed();
  }
}
