/**
 * `MetaData` of SCope and SCENIC: one text with JSON in it, plain or as base64 of its zlib stream. The text stays as it
 * is stored; what is in it is listed with the globals.
 */

import { textValues } from "../../arrow/text.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { columnRows, readColumn, ScanState } from "../../jobs/rows/columns.js";
import { inflate } from "../../kernels/codecs/deflate/inflate.js";
import { InvalidDataError, isAnnarrowError, UnsupportedError } from "../../model/errors.js";
import type { ReaderContext } from "../context.js";
import type { TableElement } from "../element.js";
import { jsonNodes } from "./json-nodes.js";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;

/** Real ones are some hundred kilobytes. */
const MAX_BYTES = 2 ** 26;

/** The nodes below `path` for what `element` holds; none, and a warning, where it cannot be read. */
export async function metaDataNodes(
  path: string,
  element: TableElement | undefined,
  cx: ReaderContext,
): Promise<readonly MappingNode[]> {
  if (element?.plan.kind !== "columns" || element.rows !== 1) return [];
  const [column] = element.plan.columns;
  try {
    if (columnRows(column) !== 1) return [];
    const read = await readColumn(column, 0, 1, new ScanState(cx.text, cx.options));
    const [text] = read.layout === "variable" && read.type.id === "Utf8" ? textValues(read) : [null];
    return text === null ? [] : jsonNodes(path, await decodedJson(text.trim()));
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    cx.warn(`${path}: ${error.problem}; what is in it is not listed`);
    return [];
  }
}

/** JSON first: `true` is base64 as well. */
async function decodedJson(text: string): Promise<unknown> {
  if (text.length > MAX_BYTES)
    throw new UnsupportedError(`${text.length} characters; at most ${MAX_BYTES} are decoded`);
  const plain = parsed(text);
  if (plain !== undefined) return plain;
  if (text === "" || !BASE64.test(text)) throw new InvalidDataError("neither JSON nor base64");
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const json = parsed(new TextDecoder().decode(await inflate(bytes, "zlib", { bytes: MAX_BYTES, exact: false })));
  if (json === undefined) throw new InvalidDataError("base64 and zlib, but of no JSON");
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
