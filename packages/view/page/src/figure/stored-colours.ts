/** Category colours of `obs` columns, stored in the file's `uns` and read once per page. */

import { useEffect, useState } from "preact/hooks";
import { categoryColours, cssColour, parseColour } from "../embedding/colours/category-colours.js";
import type { OpenedInput } from "../state/view.js";

export type Colours = ReadonlyMap<string, string>;

/** Returns a function for the colours of a column; null if the file has none, or before they have been read. */
export function useStoredColours({ description, columns }: OpenedInput): (column: string) => Colours | null {
  const [colours, setColours] = useState<ReadonlyMap<string, Colours>>(new Map());
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    const names = new Set(description.tables.map(({ name }) => name));
    const obs = description.tables.find(({ name }) => name === "obs");
    for (const { name: column } of obs?.columns ?? []) {
      if (!names.has(`uns/${column}_colors`)) continue;
      const read = Promise.all([
        columns.values("obs", column, signal),
        columns.column(`uns/${column}_colors`, "value", signal),
      ]);
      read.then(
        ([values, texts]) => {
          if (signal.aborted || values.kind !== "codes") return;
          const usual = categoryColours(values.categories.length);
          const found = values.categories.map((label, index): [string, string] => {
            const text: unknown = index < texts.length ? texts.get(index) : null;
            return [label, cssColour(parseColour(typeof text === "string" ? text : null) ?? usual[index])];
          });
          setColours((before) => new Map(before).set(column, new Map(found)));
        },
        // Without stored colours, the page's default colours are used.
        () => {},
      );
    }
    return () => reading.abort();
  }, [description, columns]);
  return (column) => colours.get(column) ?? null;
}
