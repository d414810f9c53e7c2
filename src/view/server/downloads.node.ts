/** Files that the page has asked for, each at an address of its own that is good for one download. */

import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { write } from "../../api/write.node.js";
import type { Dataset, Progress } from "../../model/dataset.js";
import { temporaryFolder, type WorkFolder } from "../../targets/temporary-folder.node.js";
import type { ViewPart } from "../part.js";
import type { ViewSaving } from "../view-request.js";

export interface Download {
  readonly fileName: string;
  readonly type: string;
  readonly size: number;
  /** The bytes. The file is removed when the stream is closed. */
  stream(): Readable;
}

/** Begins the addresses of downloads. */
export const DOWNLOAD = "/download/";

/** Milliseconds after which a file that nobody has fetched is removed. */
const WAITING = 600_000;

interface WaitingFile {
  readonly path: string;
  readonly part: Pick<ViewPart, "fileName" | "type">;
  readonly timer: NodeJS.Timeout;
}

export interface AddingOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (saving: ViewSaving) => void;
}

export class Downloads {
  #folder: Promise<WorkFolder> | null = null;
  readonly #waiting = new Map<string, WaitingFile>();
  #count = 0;

  /** Writes the file of a part. @returns the path of its address. */
  async add(part: ViewPart, { signal, onProgress }: AddingOptions): Promise<string> {
    this.#folder ??= temporaryFolder("annarrow-view");
    const { path: folder } = await this.#folder;
    const { fileName, type, content } = part;
    const path = join(folder, `${this.#count++}.${content.kind === "store" ? content.format : "part"}`);
    try {
      if (content.kind === "store") await writeStore(path, content.dataset, { signal, onProgress });
      else {
        const file = createWriteStream(path, { mode: 0o600 });
        await pipeline(Readable.from(content.chunks), counting(onProgress), file, { signal });
      }
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    const id = randomBytes(24).toString("base64url");
    const timer = setTimeout(() => void this.#forget(id), WAITING).unref();
    this.#waiting.set(id, { path, part: { fileName, type }, timer });
    return `${DOWNLOAD}${id}`;
  }

  /** Whether a file waits at a path. */
  has(path: string): boolean {
    return this.#waiting.has(path.slice(DOWNLOAD.length));
  }

  /** The file at a path, which is then no longer there; null where there is none. */
  async take(path: string): Promise<Download | null> {
    const id = path.slice(DOWNLOAD.length);
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

  /** Removes all files. */
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

async function writeStore(path: string, dataset: Dataset, { signal, onProgress }: AddingOptions): Promise<void> {
  const told = ({ element, done, total }: Progress) =>
    onProgress({ element, share: total === null || total === 0 ? null : Math.min(1, done / total), bytes: null });
  await write(path, dataset, { signal, onProgress: told });
}

/** Passes bytes on, and tells how many there were. */
function counting(onProgress: AddingOptions["onProgress"]): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      onProgress({ element: null, share: null, bytes });
      done(null, chunk);
    },
  });
}

/** The header `content-disposition` of a download: RFC 6266, with a name of ASCII for old clients. */
export function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
