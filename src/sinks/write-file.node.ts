import { open, rm } from "node:fs/promises";
import { InvalidInputError } from "../errors.js";

/**
 * Writes chunks to a new file and flushes it to the disk; a file that fails half-way is removed.
 * @throws {InvalidInputError} where the disk is full or cannot be written.
 */
export async function writeFileDurably(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, "wx");
  try {
    for await (const chunk of chunks) {
      let at = 0;
      while (at < chunk.byteLength) {
        const { bytesWritten } = await diskErrors(path, () => handle.write(chunk, at, chunk.byteLength - at));
        at += bytesWritten;
      }
    }
    await diskErrors(path, () => handle.sync());
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function diskErrors<T>(source: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInputError(`cannot be written: ${reason}`, { source, cause });
  }
}
