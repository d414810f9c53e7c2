/** Datasets and tables in notebooks and consoles. Nothing here throws: to look at an object must not end a program. */

import type { Dataset, DataTable, Layout } from "../model/dataset.js";
import { type Displayed, datasetText, INSPECT, JUPYTER, tableText } from "./plain.js";

/** Reads the first rows. */
export async function displayTable(table: DataTable): Promise<Displayed> {
  const text = tableText(table);
  return displayed(text, async () => (await import("./html.js")).tableHtml(table));
}

/** Reads nothing. */
export async function displayDataset(dataset: Dataset<unknown>): Promise<Displayed> {
  const text = datasetText(dataset);
  return displayed(text, async () => (await import("./html.js")).datasetHtml(dataset));
}

async function displayed(text: string, html: () => Promise<string>): Promise<Displayed> {
  try {
    return { "text/plain": text, "text/html": await html() };
  } catch {
    // A name in `text` may say anything.
    return { "text/plain": text, "text/html": "<p>no HTML of this object</p>" };
  }
}

/** The table itself, which shows itself from now on, as its other layouts do; its copies by `...` do not. */
export function shown<T extends DataTable>(table: T): T {
  const { layout } = table;
  return Object.defineProperties(table, {
    layout: { value: async (name: Layout) => shown(await layout.call(table, name)) },
    [JUPYTER]: { value: () => displayTable(table) },
    [INSPECT]: { value: () => tableText(table) },
  });
}
