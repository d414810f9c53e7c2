/**
 * Displays datasets and tables in notebooks and consoles. Nothing here throws: looking at an object must not end a
 * program.
 */

import type { DataTable, Layout, TableSet } from "../model/dataset.js";
import { type Displayed, datasetText, INSPECT, JUPYTER, tableText } from "./plain.js";

/** Displays a table; reads its first rows. */
export async function displayTable(table: DataTable): Promise<Displayed> {
  const text = tableText(table);
  return displayed(text, async () => (await import("./html.js")).tableHtml(table));
}

export async function displayDataset(dataset: TableSet<unknown>): Promise<Displayed> {
  const text = datasetText(dataset);
  return displayed(text, async () => (await import("./html.js")).datasetHtml(dataset));
}

async function displayed(text: string, html: () => Promise<string>): Promise<Displayed> {
  try {
    return { "text/plain": text, "text/html": await html() };
  } catch {
    // `text` has names of the file, which could hold HTML, so it is not repeated here.
    return { "text/plain": text, "text/html": "<p>no HTML of this object</p>" };
  }
}

/** Makes a table and its other layouts display themselves. Copies made with `...` do not. */
export function shown<T extends DataTable>(table: T): T {
  const { layout } = table;
  return Object.defineProperties(table, {
    layout: { value: async (name: Layout) => shown(await layout.call(table, name)) },
    [JUPYTER]: { value: () => displayTable(table) },
    [INSPECT]: { value: () => tableText(table) },
  });
}
