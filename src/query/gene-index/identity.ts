/**
 * The identity of a copied file or folder: properties that distinguish it from any later version, although not all of
 * it is read.
 */

import type { ByteSource, FileStamp, KeyValueSource, ReadOptions, Source } from "../../io/sources/source.js";
import { computeCrc32 } from "../../kernels/checksums/checksums.js";
import { isJsonObject } from "../../model/json-object.js";

export type SourceIdentity = FileIdentity | FolderIdentity;

/** A single file, on a disk or on the web. */
export interface FileIdentity extends FileStamp {
  readonly kind: "file";
  /** CRC-32 of the first and the last bytes, where container formats store their descriptions. */
  readonly head: number;
  readonly tail: number;
}

/** All files of a folder. */
export interface FolderIdentity {
  readonly kind: "folder";
  readonly files: number;
  readonly size: number;
  /** CRC-32 of the sorted keys, with the size and the modification time of each file. */
  readonly checksum: number;
}

/** Number of bytes that are compared at each end of a file. */
const END_BYTES = 2 ** 16;

/**
 * Maximum number of files in a folder that are examined. Examining 100,000 files takes two seconds on a local disk.
 */
const MAX_FILES = 100_000;

/** Number of files that are examined concurrently. */
const AT_ONCE = 64;

/**
 * Returns the identity of the source, or a text that explains why it has none.
 * @param source the file or folder itself, not a store within it.
 */
export async function readSourceIdentity(source: Source, options: ReadOptions = {}): Promise<SourceIdentity | string> {
  return source.kind === "bytes" ? fileIdentityOf(source, options) : folderIdentityOf(source, options);
}

async function fileIdentityOf(source: ByteSource, options: ReadOptions): Promise<FileIdentity | string> {
  const { stamp, size } = source;
  if (stamp === undefined || (stamp.modified === null && stamp.etag === null)) {
    return "nothing tells its versions apart";
  }
  const crcOf = async (start: number, end: number) => computeCrc32(await source.read(start, end, options));
  const [head, tail] = await Promise.all([
    crcOf(0, Math.min(size, END_BYTES)),
    crcOf(Math.max(0, size - END_BYTES), size),
  ]);
  return { kind: "file", ...stamp, head, tail };
}

async function folderIdentityOf(source: KeyValueSource, options: ReadOptions): Promise<FolderIdentity | string> {
  const files: string[] = [];
  let size = 0;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const prefix = folder;
    const names = await source.list(prefix, options);
    if (names === null || source.stamp === undefined || source.isRemote) {
      return "nothing tells whether files of a store on the web have changed";
    }
    for (let first = 0; first < names.length; first += AT_ONCE) {
      const keys = names.slice(first, first + AT_ONCE).map((name) => (prefix === "" ? name : `${prefix}/${name}`));
      const stamps = await Promise.all(keys.map((key) => source.stamp?.(key, options)));
      for (const [i, stamp] of stamps.entries()) {
        if (stamp === undefined) folders.push(keys[i]);
        else files.push(`${keys[i]}\0${stamp.size}\0${stamp.modified}`);
        size += stamp?.size ?? 0;
      }
    }
    if (files.length + folders.length > MAX_FILES) return `it has more than ${MAX_FILES} files`;
  }
  const checksum = computeCrc32(new TextEncoder().encode(files.sort().join("\n")));
  return { kind: "folder", files: files.length, size, checksum };
}

/**
 * Returns the difference between the present version and the recorded version; null if they are the same.
 * @param copied returns the time of the copy on its server; null for a copy on a disk. A server reports times in whole
 * seconds, and may have given the file a new time when it was uploaded. The copy must therefore have been uploaded
 * together with the file, or later.
 */
export async function findIdentityDifference(
  recorded: SourceIdentity,
  now: SourceIdentity,
  copied: (() => Promise<number | null>) | null,
): Promise<string | null> {
  if (recorded.kind === "folder" || now.kind === "folder") {
    if (recorded.kind !== "folder" || now.kind !== "folder") return "a folder and a file differ";
    const isSame = recorded.files === now.files && recorded.size === now.size && recorded.checksum === now.checksum;
    return isSame ? null : "files of the folder have changed";
  }
  if (recorded.size !== now.size) return `it had ${recorded.size} bytes, and has ${now.size}`;
  if (recorded.head !== now.head || recorded.tail !== now.tail) return "its bytes have changed";
  if (recorded.etag !== null && now.etag !== null) {
    return recorded.etag === now.etag ? null : `its ETag was ${recorded.etag}, and is ${now.etag}`;
  }
  if (recorded.modified === null || now.modified === null) return "nothing tells when it changed last";
  if (recorded.modified === now.modified) return null;
  if (copied !== null) {
    if (Math.floor(recorded.modified / 1000) * 1000 === now.modified) return null;
    const time = await copied();
    if (time !== null && time >= now.modified) return null;
  }
  return `it changed last at ${timeText(now.modified)}; the copy is of its version of ${timeText(recorded.modified)}`;
}

function timeText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}

/** Returns the identity that a parsed manifest contains; null if it is invalid. */
export function parseIdentity(value: unknown): SourceIdentity | null {
  if (!isJsonObject(value)) return null;
  const { kind, size, files, checksum, modified, etag, head, tail } = value;
  if (typeof size !== "number") return null;
  if (kind === "folder" && typeof files === "number" && typeof checksum === "number") {
    return { kind, files, size, checksum };
  }
  const hasEnds = typeof head === "number" && typeof tail === "number";
  const hasTime = modified === null || typeof modified === "number";
  if (kind !== "file" || !hasEnds || !hasTime || (etag !== null && typeof etag !== "string")) return null;
  return { kind, size, modified, etag, head, tail };
}
