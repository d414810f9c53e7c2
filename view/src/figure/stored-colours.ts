/** Colours of the categories of `obs`: those that the file stores in `uns`, read once for a page. */

import { useEffect, useState } from "preact/hooks";
import { categoryColours, cssColour, parseColour } from "../embedding/colours/category-colours.js";
import type { OpenedInput } from "../state/view.js";

export type Colours = ReadonlyMap<string, string>;

/** A function that tells the colours of a column; null where the file stores none, or they have not arrived. */
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
        // Without colours, all is drawn in those of the page.
        () => {},
      );
    }
    return () => reading.abort();
  }, [description, columns]);
  return (column) => colours.get(column) ?? null;
}
