/** The links of a group, whichever way it stores them. */

import { InvalidDataError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { parseLinkInfo, readDenseLinks } from "./dense-links.js";
import { type GroupLinks, linksByName } from "./link.js";
import { parseLink } from "./link-message.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";
import { readSymbolTable } from "./symbol-table.js";

/** Whether a header with these messages is that of a group. */
export function isGroup(messages: readonly HeaderMessage[]): boolean {
  return messages.some(({ type }) => type === MESSAGE.symbolTable || type === MESSAGE.linkInfo);
}

/**
 * @param messages the group's header.
 * @throws {InvalidDataError} where what holds the links is damaged.
 */
export async function readGroupLinks(
  file: Hdf5File,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<GroupLinks> {
  const info = messages.find(({ type }) => type === MESSAGE.linkInfo);
  if (info !== undefined) {
    const dense = parseLinkInfo(info.body, file);
    if (dense !== null) return linksByName(await readDenseLinks(file, dense, options));
    const links = messages.filter(({ type }) => type === MESSAGE.link);
    return linksByName(links.map(({ body }) => parseLink(body, file.sizes)));
  }
  const table = messages.find(({ type }) => type === MESSAGE.symbolTable);
  if (table === undefined) throw new InvalidDataError("group without links, not even none");
  return linksByName(await readSymbolTable(file, table.body, options));
}
