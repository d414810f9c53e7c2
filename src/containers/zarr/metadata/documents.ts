import { locateError } from "../../../model/errors.js";
import type { KeyValueSource, ReadOptions } from "../../../sources/source.js";
import { type Json, parseJson } from "./json.js";

/** Larger than any known document, consolidated metadata among them. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * The JSON document under `key`; undefined where there is none.
 * @throws {InvalidDataError} where it is not JSON, or too large, with the key in its message.
 */
export async function readDocument(
  source: KeyValueSource,
  key: string,
  options?: ReadOptions,
): Promise<Json | undefined> {
  const bytes = await source.get(key, { ...options, most: MAX_BYTES });
  if (bytes === undefined) return undefined;
  try {
    return parseJson(bytes);
  } catch (error) {
    throw locateError(error, { element: key });
  }
}
