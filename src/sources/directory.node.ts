import { lstat, open, readdir, readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { InvalidInputError, located, UnsupportedError } from "../errors.js";
import { fileError, isAbsent, readFully } from "./file.node.js";
import { keySegments, prefixSegments } from "./key.js";
import { clampRange } from "./range.js";
import type { KeyValueSource } from "./source.js";

/**
 * A directory as a store: a key's segments are folders below it. Nothing outside is ever read: symbolic links that
 * lead out of the directory are an `UnsupportedError`.
 * @throws {NotFoundError} where there is no such directory.
 */
export async function directorySource(path: string): Promise<KeyValueSource> {
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
    throw new UnsupportedError(`${key} is a symbolic link that leads out of the store`, { source: path });
  }

  function segmentsOf(segments: string[], key: string): string[] {
    // On Windows a backslash or a drive would lead elsewhere.
    if (sep === "\\" && /[\\:]/.test(key))
      throw new InvalidInputError(`key ${key} has a character no file name can have`);
    return segments;
  }

  /** The path of the regular file of that key; undefined where there is none. */
  async function file(key: string): Promise<string | undefined> {
    const segments = segmentsOf(keySegments(key), key);
    const name = segments[segments.length - 1];
    let at = join(await folder(segments.slice(0, -1), key), name);
    let info = await lstat(at);
    if (info.isSymbolicLink()) {
      at = inside(await realpath(at), key);
      info = await lstat(at);
    }
    if (info.isDirectory()) return undefined;
    if (!info.isFile()) throw new UnsupportedError(`${key} is neither a file nor a directory`, { source: path });
    return at;
  }

  /** Runs `action`; undefined where the file system says that nothing is there. */
  function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    return located({ source: path }, async () => {
      try {
        return await action();
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    });
  }

  return {
    kind: "keys",
    name: path,
    plan: { kind: "directory", path: root, identity: "" },
    get(key, options) {
      return attempt(async () => {
        const at = await file(key);
        if (at === undefined) return undefined;
        const { buffer, byteOffset, length } = await readFile(at, { signal: options?.signal });
        return new Uint8Array(buffer, byteOffset, length);
      });
    },
    getRanges(key, ranges, options) {
      return attempt(async () => {
        const at = await file(key);
        if (at === undefined) return undefined;
        const handle = await open(at, "r");
        try {
          const { size } = await handle.stat();
          const parts: Uint8Array[] = [];
          for (const range of ranges) {
            options?.signal?.throwIfAborted();
            const { start, end } = clampRange(range, size);
            parts.push(await readFully(handle, start, end));
          }
          return parts;
        } finally {
          await handle.close();
        }
      });
    },
    async list(prefix, options) {
      options?.signal?.throwIfAborted();
      const segments = segmentsOf(prefixSegments(prefix), prefix);
      return (await attempt(async () => readdir(await folder(segments, prefix)))) ?? [];
    },
    close: async () => undefined,
  };
}
