/**
 * A file system in memory that refuses what the one of Windows (NTFS) or macOS (APFS, HFS+) refuses, with the codes that
 * libuv makes of their errors: it stands for the systems on which no test runs.
 */

import { constants } from "node:os";
import type { FolderEntry, FolderTree } from "../../../src/io/schemes/remote-output.js";
import type { EntryFacts, FileSystem, WrittenHandle } from "../../../src/io/targets/file-system.node.js";
import { getSystemRules, type SystemRules } from "../../../src/platform/system-rules.node.js";

interface Entry {
  /** The name as it is listed. */
  readonly name: string;
  /** null for a folder. */
  bytes: Uint8Array | null;
  /** Whether each program that has the file open lets others rename and remove it, as Node does. */
  readonly opened: { readonly sharesDelete: boolean }[];
}

export interface Behaviour {
  readonly hasLinks?: boolean;
  /** The form in which names are listed, as HFS+ decomposes them. */
  readonly listed?: (name: string) => string;
  /** Runs while the library waits. */
  readonly onPause?: (milliseconds: number) => void;
}

export class MemoryFiles implements FileSystem {
  readonly rules: SystemRules;
  readonly #behaviour: Behaviour;
  readonly #isWindows: boolean;
  readonly #entries = new Map<string, Entry>();

  constructor(platform: "win32" | "darwin", folders: readonly string[], behaviour: Behaviour = {}) {
    this.rules = getSystemRules(platform);
    this.#isWindows = platform === "win32";
    this.#behaviour = behaviour;
    for (const folder of folders) this.#add(folder, null);
  }

  /** All paths of files as they are listed, with their text. */
  get contents(): Readonly<Record<string, string>> {
    const files = [...this.#entries].filter(([, { bytes }]) => bytes !== null);
    return Object.fromEntries(files.map(([path, { bytes }]) => [path, new TextDecoder().decode(bytes ?? undefined)]));
  }

  put(path: string, text: string): void {
    this.#add(path, new TextEncoder().encode(text));
  }

  /** Opens a file as another program does. @returns what closes it. */
  open(path: string, sharesDelete: boolean): () => void {
    const { opened } = this.#at(path);
    const opening = { sharesDelete };
    opened.push(opening);
    return () => void opened.splice(opened.indexOf(opening), 1);
  }

  async entry(path: string): Promise<EntryFacts | null> {
    const found = this.#entries.get(this.#key(path));
    if (found === undefined) return null;
    const now = Date.now();
    return {
      isFile: () => found.bytes !== null,
      isDirectory: () => found.bytes === null,
      isSymbolicLink: () => false,
      ...{ uid: process.getuid?.() ?? 0, mtimeMs: now, ctimeMs: now },
    };
  }

  followed(path: string): Promise<EntryFacts | null> {
    return this.entry(path);
  }

  async realpath(path: string): Promise<string> {
    return path;
  }

  async *names(folder: string): AsyncGenerator<string> {
    yield* this.#in(folder).map(({ name }) => name);
  }

  tree(folder: string): FolderTree {
    const { join } = this.rules.path;
    return {
      entries: async (path) =>
        this.#in(join(folder, ...path)).map(
          ({ name, bytes }): FolderEntry => ({ name, kind: bytes === null ? "folder" : "file" }),
        ),
      text: async (path) => new TextDecoder().decode(this.#at(join(folder, ...path)).bytes ?? undefined),
    };
  }

  async create(path: string): Promise<WrittenHandle> {
    if (this.rules.nameProblem(this.rules.path.basename(path)) !== null) throw systemError("ENOENT");
    if (this.#entries.has(this.#key(path))) throw systemError("EEXIST");
    this.#add(path, new Uint8Array(0));
    const close = this.open(path, true);
    const entry = this.#at(path);
    return {
      async write(bytes, offset, length, position) {
        const grown = new Uint8Array(Math.max(entry.bytes?.length ?? 0, position + length));
        grown.set(entry.bytes ?? []);
        grown.set(bytes.subarray(offset, offset + length), position);
        entry.bytes = grown;
        return { bytesWritten: length };
      },
      sync: async () => undefined,
      datasync: async () => undefined,
      close: async () => close(),
    };
  }

  async makeFolder(path: string): Promise<void> {
    if (this.#entries.has(this.#key(path))) throw systemError("EEXIST");
    this.#add(path, null);
  }

  async link(from: string, to: string): Promise<void> {
    if (this.#behaviour.hasLinks === false) throw systemError("EPERM");
    if (this.#entries.has(this.#key(to))) throw systemError("EEXIST");
    this.#add(to, this.#at(from).bytes);
  }

  rename(from: string, to: string): void {
    const moved = this.#at(from);
    const there = this.#entries.get(this.#key(to));
    const below = this.#below(from);
    if (this.#isWindows) {
      // MoveFileEx: a sharing violation for what is open; access denied for a folder or an open file in the way.
      const inUse = [moved, ...below.map(([, entry]) => entry)].some(({ opened }) =>
        opened.some(({ sharesDelete }) => moved.bytes === null || !sharesDelete),
      );
      if (inUse) throw systemError("EBUSY");
      if (there !== undefined && (there.bytes === null || there.opened.length > 0)) throw systemError("EPERM");
    } else if (there?.bytes === null && (moved.bytes !== null || this.#below(to).length > 0)) {
      throw systemError(moved.bytes === null ? "ENOTEMPTY" : "EISDIR");
    }
    this.#entries.delete(this.#key(from));
    this.#entries.delete(this.#key(to));
    for (const [key] of below) this.#entries.delete(key);
    const name = this.#listed(this.rules.path.basename(to));
    this.#entries.set(this.#key(to), { name, bytes: moved.bytes, opened: moved.opened });
    for (const [key, entry] of below) this.#entries.set(this.#key(to) + key.slice(this.#key(from).length), entry);
  }

  async remove(path: string): Promise<void> {
    const key = this.#key(path);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const all = [[key, entry] as const, ...this.#below(path)];
    const isKept = all.some(([, { opened }]) => opened.some(({ sharesDelete }) => !sharesDelete));
    if (this.#isWindows && isKept) throw systemError("EBUSY");
    for (const [below] of all) this.#entries.delete(below);
  }

  async flushFolder(): Promise<void> {
    if (this.#isWindows) throw systemError("EPERM");
  }

  async pause(milliseconds: number): Promise<void> {
    this.#behaviour.onPause?.(milliseconds);
  }

  /** Paths are looked up in the form in which the system compares them. */
  #key(path: string): string {
    return this.rules.fold(path);
  }

  #listed(name: string): string {
    return this.#behaviour.listed?.(name) ?? name;
  }

  #add(path: string, bytes: Uint8Array | null): void {
    const { basename, dirname } = this.rules.path;
    const above = dirname(path);
    if (above !== dirname(above) && this.#entries.get(this.#key(above))?.bytes !== null) throw systemError("ENOENT");
    this.#entries.set(this.#key(path), { name: this.#listed(basename(path)), bytes, opened: [] });
  }

  #at(path: string): Entry {
    const entry = this.#entries.get(this.#key(path));
    if (entry === undefined) throw systemError("ENOENT");
    return entry;
  }

  #below(path: string): readonly (readonly [string, Entry])[] {
    return [...this.#entries].filter(([key]) => key.startsWith(this.#key(path) + this.rules.path.sep));
  }

  #in(folder: string): readonly Entry[] {
    const parent = this.#key(folder);
    return [...this.#entries].filter(([key]) => this.rules.path.dirname(key) === parent).map(([, entry]) => entry);
  }
}

function systemError(code: keyof typeof constants.errno): Error {
  return Object.assign(new Error(code), { code, errno: -constants.errno[code] });
}
