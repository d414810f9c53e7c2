/**
 * Displays datasets and tables in notebooks and consoles. Nothing here throws, because displaying an object must not
 * end a program.
 */

import type { DataTable, Layout, TableSet } from "../../model/dataset.js";
import { type Displayed, INSPECT, JUPYTER, renderDatasetText, renderTableText } from "./plain.js";

/** Displays a table. Reads its first rows. */
export async function displayTable(table: DataTable): Promise<Displayed> {
  const text = renderTableText(table);
  return displayed(text, async () => (await import("./html.js")).renderTableHtml(table));
}

export async function displayDataset(dataset: TableSet<unknown>): Promise<Displayed> {
  const text = renderDatasetText(dataset);
  return displayed(text, async () => (await import("./html.js")).renderDatasetHtml(dataset));
}

async function displayed(text: string, html: () => Promise<string>): Promise<Displayed> {
  try {
    return { "text/plain": text, "text/html": await html() };
  } catch {
    // `text` contains names from the file, which could contain HTML, so it is not repeated here.
    return { "text/plain": text, "text/html": "<p>no HTML of this object</p>" };
  }
}

/** Enables a table and its other layouts to display themselves. Copies made with `...` cannot. */
export function makeDisplayable<T extends DataTable>(table: T): T {
  const { layout } = table;
  return Object.defineProperties(table, {
    layout: { value: async (name: Layout) => makeDisplayable(await layout.call(table, name)) },
    [JUPYTER]: { value: () => displayTable(table) },
    [INSPECT]: { value: () => renderTableText(table) },
  });
}
