/** Keeps files of a directory open for a while, because an array is read in many ranges. */

import type { FileHandle } from "node:fs/promises";

export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
}

interface Kept {
  readonly file: Promise<OpenFile | undefined>;
  users: number;
  /** Whether the last user closes the file. */
  dropped: boolean;
}

/** Maximum number of unused files that stay open, and the milliseconds after which unused files are closed. */
const MAX_FILES = 16;
const IDLE = 1000;

export class OpenFileCache {
  readonly #open: (key: string) => Promise<OpenFile | undefined>;
  /** Open files, most recently used last. */
  readonly #kept = new Map<string, Kept>();
  #closed = false;
  /** Timer that closes unused files, because callers may forget to close their dataset. */
  #idle: NodeJS.Timeout | null = null;

  constructor(open: (key: string) => Promise<OpenFile | undefined>) {
    this.#open = open;
  }

  /** Runs `action` with the file for this key, which stays open meanwhile; undefined if the file does not exist. */
  async use<T>(key: string, action: (file: OpenFile) => Promise<T>): Promise<T | undefined> {
    const kept = this.#kept.get(key) ?? { file: this.#open(key), users: 0, dropped: this.#closed };
    this.#kept.delete(key);
    if (!kept.dropped) this.#kept.set(key, kept);
    kept.users++;
    let again = false;
    try {
      const file = await kept.file;
      again = file !== undefined;
      return file === undefined ? undefined : await action(file);
    } catch (error) {
      again = false;
      throw error;
    } finally {
      kept.users--;
      if (!again) this.#drop(key, kept);
      if (kept.dropped) await closeUnused(kept);
      else {
        this.#idle = this.#idle?.refresh() ?? setTimeout(() => void this.#closeMost(0), IDLE).unref();
        if (this.#kept.size > MAX_FILES) await this.#closeMost(MAX_FILES);
      }
    }
  }

  /** Closes all files. A file that is in use is closed by its last user. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle !== null) clearTimeout(this.#idle);
    const all = [...this.#kept];
    for (const [key, kept] of all) this.#drop(key, kept);
    await Promise.all(all.map(([, kept]) => closeUnused(kept)));
  }

  #drop(key: string, kept: Kept): void {
    kept.dropped = true;
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }

  /** Closes the least recently used files until `left` remain. Files in use stay open. */
  async #closeMost(left: number): Promise<void> {
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size <= left) return;
      if (kept.users > 0) continue;
      this.#drop(key, kept);
      await closeUnused(kept);
    }
  }
}

/**
 * Closes the file unless it is in use. Errors are ignored, since the file was only read, and errors in opening it have
 * already been reported.
 */
async function closeUnused({ file, users }: Kept): Promise<void> {
  if (users > 0) return;
  const opened = await file.catch(() => undefined);
  await opened?.handle.close().catch(() => undefined);
}
