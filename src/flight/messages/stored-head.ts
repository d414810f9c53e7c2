/** What stands in front of the rows of a stored table. No Arrow object. */

import { dictionariesOf, hasDictionary, hasNestedCodes } from "../../ipc/write/dictionaries.js";
import { dictionaryMessage, type EncodedMessage, schemaMessage } from "../../ipc/write/message.js";
import { UnsupportedError } from "../../model/errors.js";
import type { PartOptions, StoredTable } from "../../tables/stored-table.js";

/**
 * Schema and dictionaries of `table`. Dictionaries go whole: pieces of one (deltas) would be taken for a new one by
 * Arrow's Java library.
 * @throws {UnsupportedError} where the values of a dictionary are coded by another.
 */
export async function* storedHead(
  table: StoredTable,
  options: Omit<PartOptions, "rows"> = {},
): AsyncGenerator<EncodedMessage> {
  const fields = options.fields?.map((i) => table.fields[i]) ?? table.fields;
  const nested = fields.find(hasNestedCodes);
  if (nested !== undefined) {
    const why = `the categories of ${nested.name} are themselves coded by categories, for which Arrow's format has no form`;
    throw new UnsupportedError(why, { element: table.name });
  }
  yield schemaMessage(fields, table.schemaMetadata);
  if (!fields.some(hasDictionary)) return;
  for (const [id, values] of dictionariesOf(await table.noRows(options)).entries()) {
    yield dictionaryMessage(id, values);
  }
}
