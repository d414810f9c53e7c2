import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { InvalidDataError, InvalidInputError, located, UnsupportedError } from "../model/errors.js";
import { fileError, isAbsent, noteOpened, readFrom, readFully } from "./file.node.js";
import { KeptFiles, type OpenFile } from "./kept-files.node.js";
import { checkMost, clampRange, keySegments, prefixSegments } from "./key.js";
import { PromptReads } from "./prompt-reads.node.js";
import type { KeyValueSource } from "./source.js";

/** Opening fails at a symbolic link, and waits for nobody at a pipe; Windows has no such flags. */
const NO_LINK =
  typeof constants.O_NOFOLLOW === "number" && typeof constants.O_NONBLOCK === "number"
    ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    : null;

/** Opens what is no link, without looking at it first; null where it cannot be opened that way. */
async function openUnlinked(path: string): Promise<FileHandle | null> {
  if (NO_LINK === null) return null;
  try {
    return await open(path, NO_LINK);
  } catch (error) {
    if (isAbsent(error)) throw error;
    return null;
  }
}

/**
 * A directory as a store: a key's segments are folders below it. Nothing outside is ever read: symbolic links that
 * lead out of the directory are an `UnsupportedError`.
 * @param since in milliseconds since 1970: a file that was written, added or removed later is an `InvalidDataError` when it
 * is read; by default none is.
 * @throws {NotFoundError} where there is no such directory.
 */
export async function directorySource(path: string, since: number | null = null): Promise<KeyValueSource> {
  let root: string;
  try {
    root = await realpath(path);
    if (!(await lstat(root)).isDirectory()) throw new InvalidInputError("not a directory", { source: path });
  } catch (cause) {
    throw fileError(cause, path);
  }

  const folders = new Map<string, Promise<string>>();

  /** The real path of the folder of these segments; each is looked up once. */
  function folder(segments: readonly string[], key: string): Promise<string> {
    const id = segments.join("/");
    let known = folders.get(id);
    if (known === undefined) {
      known = realpath(join(root, ...segments)).then((real) => inside(real, key));
      folders.set(id, known);
      known.catch(() => folders.delete(id));
    }
    return known;
  }

  function inside(real: string, key: string): string {
    if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
    throw new UnsupportedError(`${key} is a symbolic link that leads out of the store`, {
      source: path,
      code: "symlink-escape",
    });
  }

  function segmentsOf(segments: string[], key: string): string[] {
    // On Windows a backslash or a drive would lead elsewhere.
    if (sep === "\\" && /[\\:]/.test(key))
      throw new InvalidInputError(`key ${key} has a character no file name can have`);
    return segments;
  }

  /** Opens the regular file of that key; undefined where there is none. */
  async function openFile(key: string): Promise<OpenFile | undefined> {
    const segments = segmentsOf(keySegments(key), key);
    const name = segments[segments.length - 1];
    let handle: FileHandle | undefined;
    try {
      const at = join(await folder(segments.slice(0, -1), key), name);
      handle = (await openUnlinked(at)) ?? (await openLinked(at, key));
    } catch (error) {
      if (since !== null && isAbsent(error)) await checkAbsent(segments, key, since);
      throw error;
    }
    if (handle === undefined) return undefined;
    try {
      const info = await handle.stat();
      if (since !== null && info.ctimeMs > since) throw changed(key);
      if (info.isFile()) return { handle, size: info.size };
      if (!info.isDirectory()) throw notAFile(key);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  /** A file that was removed has changed its folder, one that never was there has not. */
  async function checkAbsent(segments: readonly string[], key: string, since: number): Promise<void> {
    for (let length = segments.length - 1; length >= 0; length--) {
      const info = await lstat(join(root, ...segments.slice(0, length))).catch(() => null);
      if (info === null) continue;
      if (info.ctimeMs > since) throw changed(key);
      return;
    }
  }

  const changed = (key: string) =>
    new InvalidDataError(`${key} has changed since the store was looked at`, { source: path, code: "source-changed" });

  /** Opens what may be a link; undefined for directories. */
  async function openLinked(at: string, key: string): Promise<FileHandle | undefined> {
    let real = at;
    let info = await lstat(at);
    if (info.isSymbolicLink()) {
      real = inside(await realpath(at), key);
      info = await lstat(real);
    }
    if (info.isDirectory()) return undefined;
    if (!info.isFile()) throw notAFile(key);
    return await open(real, NO_LINK ?? "r");
  }

  const notAFile = (key: string) => new UnsupportedError(`${key} is neither a file nor a directory`, { source: path });

  /** Runs `action`; undefined where the file system says that nothing is there. */
  function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    return located({ source: path }, async () => {
      try {
        return await action();
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error instanceof Error && "errno" in error ? fileError(error, path) : error;
      }
    });
  }

  const kept = new KeptFiles(openFile);
  const prompt = new PromptReads();
  const closed = noteOpened(root);

  return {
    kind: "keys",
    name: path,
    plan: { kind: "directory", path: root, identity: since === null ? "" : String(since) },
    get: (key, options) =>
      attempt(async () => {
        const file = await openFile(key);
        if (file === undefined) return undefined;
        try {
          options?.signal?.throwIfAborted();
          checkMost(key, file.size, options);
          return await readFully(file.handle, 0, file.size);
        } finally {
          await file.handle.close();
        }
      }),
    getRanges: (key, ranges, options) =>
      attempt(async () => {
        const file = await openFile(key);
        if (file === undefined) return undefined;
        try {
          const parts: Uint8Array[] = [];
          for (const range of ranges) {
            options?.signal?.throwIfAborted();
            const { start, end } = clampRange(range, file.size);
            parts.push(await readFully(file.handle, start, end));
          }
          return parts;
        } finally {
          await file.handle.close();
        }
      }),
    readInto: (key, start, target, options) =>
      attempt(() =>
        kept.use(key, async ({ handle }) => {
          options?.signal?.throwIfAborted();
          return prompt.read(handle, start, target) ? target.length : await readFrom(handle, start, target);
        }),
      ),
    size: (key, options) =>
      attempt(async () => {
        options?.signal?.throwIfAborted();
        const file = await openFile(key);
        await file?.handle.close();
        return file?.size;
      }),
    identity: (prefix) => folder(segmentsOf(prefixSegments(prefix), prefix), prefix),
    async list(prefix, options) {
      options?.signal?.throwIfAborted();
      const segments = segmentsOf(prefixSegments(prefix), prefix);
      return (await attempt(async () => readdir(await folder(segments, prefix)))) ?? [];
    },
    close: async () => {
      closed();
      await kept.close();
    },
  };
}
