import { locateError } from "../../errors.js";
import type { KeyValueSource, ReadOptions } from "../../sources/source.js";
import { type Json, parseJson } from "./json.js";

/**
 * The JSON document under `key`; undefined where there is none.
 * @throws {InvalidDataError} where it is not JSON, with the key in its message.
 */
export async function readDocument(
  source: KeyValueSource,
  key: string,
  options?: ReadOptions,
): Promise<Json | undefined> {
  const bytes = await source.get(key, options);
  if (bytes === undefined) return undefined;
  try {
    return parseJson(bytes);
  } catch (error) {
    throw locateError(error, { element: key });
  }
}
