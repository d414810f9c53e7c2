/** Files that the page has requested. Each file has its own address, which is valid for one download. */

import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createWorkFolder, type WorkFolder } from "annarrow/node/io";
import type { SavedFile } from "./work/written-part.node.js";

export interface Download {
  readonly fileName: string;
  readonly type: string;
  readonly size: number;
  /** Returns a stream of the bytes. Closing the stream removes the file. */
  stream(): Readable;
}

/** Prefix of download addresses. */
export const DOWNLOAD_PREFIX = "/download/";

/** Number of milliseconds after which a file is removed if it has not been downloaded. */
const WAITING = 600_000;

interface WaitingFile {
  readonly path: string;
  readonly part: SavedFile;
  readonly timer: NodeJS.Timeout;
}

export class Downloads {
  #folder: Promise<WorkFolder> | null = null;
  readonly #waiting = new Map<string, WaitingFile>();
  #count = 0;

  /**
   * Adds a file.
   * @param extension extension of the file to be written.
   * @param write writes the file to the given path.
   * @returns the path of the file's address.
   */
  async add(extension: string, write: (path: string) => Promise<SavedFile>): Promise<string> {
    this.#folder ??= createWorkFolder("annarrow-view");
    const { path: folder } = await this.#folder;
    const path = join(folder, `${this.#count++}.${extension}`);
    let part: SavedFile;
    try {
      part = await write(path);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    const id = randomBytes(24).toString("base64url");
    const timer = setTimeout(() => void this.#forget(id), WAITING).unref();
    this.#waiting.set(id, { path, part, timer });
    return `${DOWNLOAD_PREFIX}${id}`;
  }

  has(path: string): boolean {
    return this.#waiting.has(path.slice(DOWNLOAD_PREFIX.length));
  }

  /** Removes the entry at a path and returns its file; null if there is no entry. */
  async take(path: string): Promise<Download | null> {
    const id = path.slice(DOWNLOAD_PREFIX.length);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return null;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    const { size } = await stat(waiting.path);
    return {
      ...waiting.part,
      size,
      stream: () => {
        const stream = createReadStream(waiting.path);
        stream.once("close", () => void rm(waiting.path, { force: true }));
        return stream;
      },
    };
  }

  async close(): Promise<void> {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    const folder = await this.#folder?.catch(() => null);
    await folder?.remove();
  }

  async #forget(id: string): Promise<void> {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) await rm(waiting.path, { force: true });
  }
}

/** Creates the `content-disposition` header of a download (RFC 6266), with an ASCII name for old clients. */
export function createAttachmentHeader(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
