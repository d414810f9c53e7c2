/** Reads a text column of a Parquet file. */

import { InvalidDataError } from "annarrow";
import { toColumnTable, toNames } from "annarrow/core/tables";
import { openStored, type StoredOptions } from "annarrow/node/api";

/**
 * Returns the values of a text column. A missing value becomes an empty string.
 * @throws {InvalidDataError} if the file has no such column.
 */
export async function readTextColumn(
  source: string,
  column: string,
  options: StoredOptions = {},
): Promise<readonly string[]> {
  const dataset = await openStored(source, options);
  try {
    const [table] = dataset.tables.values();
    const frame = await toColumnTable(table);
    const place = frame.fields.findIndex(({ name }) => name === column);
    if (place < 0) throw new InvalidDataError(`no column ${JSON.stringify(column)}`, { source });
    const texts: string[] = [];
    for await (const { columns } of frame.batches({ signal: options.signal })) {
      for (const text of toNames(columns[place])) texts.push(text);
    }
    return texts;
  } finally {
    await dataset.close();
  }
}
