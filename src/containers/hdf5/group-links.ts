/** The links of a group, whichever way it stores them. */

import { InvalidDataError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { Cursor } from "./cursor.js";
import type { FileBytes } from "./file-bytes.js";
import type { LazyLibrary } from "./lazy-library.js";
import type { LibraryFile } from "./library.js";
import { type GroupLinks, linksByName } from "./link.js";
import { parseLink } from "./link-message.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";
import { readSymbolTable } from "./symbol-table.js";

/** Whether a header with these messages is that of a group. */
export function isGroup(messages: readonly HeaderMessage[]): boolean {
  return messages.some(({ type }) => type === MESSAGE.symbolTable || type === MESSAGE.linkInfo);
}

/**
 * @param messages the group's header. Many links lie elsewhere: those are the library's business.
 * @param hardPath absolute and over hard links; `""` is the root.
 * @throws {InvalidDataError} where what holds the links is damaged.
 */
export async function readGroupLinks(
  file: FileBytes,
  library: LazyLibrary,
  messages: readonly HeaderMessage[],
  hardPath: string,
  options?: ReadOptions,
): Promise<GroupLinks> {
  const info = messages.find(({ type }) => type === MESSAGE.linkInfo);
  if (info !== undefined) {
    if (isDense(info.body, file)) return libraryLinks((await library.open(options)).file, hardPath);
    const links = messages.filter(({ type }) => type === MESSAGE.link);
    return linksByName(links.map(({ body }) => parseLink(body, file.sizes)));
  }
  const table = messages.find(({ type }) => type === MESSAGE.symbolTable);
  if (table === undefined) throw new InvalidDataError("group without links, not even none");
  return linksByName(await readSymbolTable(file, table.body, options));
}

/** Whether the links lie in a heap of their own, which the link info message then names. */
function isDense(body: Uint8Array, file: FileBytes): boolean {
  const cursor = new Cursor(body, "link info");
  const version = cursor.u8();
  if (version !== 0) throw new InvalidDataError(`link info has version ${version}; only 0 exists`);
  if (cursor.u8() & 1) cursor.skip(8);
  return cursor.optional(file.sizes.offsets) !== null;
}

function libraryLinks(library: LibraryFile, hardPath: string): GroupLinks {
  return {
    names: () => library.names(hardPath === "" ? "/" : hardPath),
    find: (name) => library.link(`${hardPath}/${name}`),
  };
}
