import { type FileHandle, open } from "node:fs/promises";
import { AnnarrowError, InvalidDataError, InvalidInputError, NotFoundError } from "../errors.js";
import { checkRange } from "./memory.js";
import type { ByteSource } from "./source.js";

/**
 * A file, read at positions.
 * @throws {NotFoundError} where there is none, {InvalidInputError} where it is no regular file.
 */
export async function fileSource(path: string): Promise<ByteSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (cause) {
    throw fileError(cause, path);
  }
  const info = await handle.stat();
  if (!info.isFile()) {
    await handle.close();
    throw new InvalidInputError("not a file", { source: path });
  }
  return {
    kind: "bytes",
    name: path,
    size: info.size,
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, info.size, path);
      const bytes = await readFully(handle, start, end);
      if (bytes.length !== end - start) {
        throw new InvalidDataError(`the file ended at byte ${start + bytes.length}, expected ${end}`, { source: path });
      }
      return bytes;
    },
    close: () => handle.close(),
  };
}

/** The bytes [start, end) of an open file, fewer where it ends. */
export async function readFully(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** The named error for what the file system refused. */
export function fileError(cause: unknown, path: string): AnnarrowError {
  if (cause instanceof AnnarrowError) return cause;
  if (isAbsent(cause)) return new NotFoundError("no such file or directory", { source: path, cause });
  return new InvalidInputError(cause instanceof Error ? cause.message : String(cause), { source: path, cause });
}

/** Whether the file system says that there is nothing at that path. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
