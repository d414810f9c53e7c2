/** Where the names of two dataframes first differ. */

import type { ColumnTable } from "./column-table.js";
import { frameIndex } from "./frame-index.js";
import { textsOf } from "./index-as-column.js";
import { indexSource } from "./index-column.js";

export interface Difference {
  readonly position: number;
  /** null where there are no more. */
  readonly names: readonly [string | null, string | null];
}

type Texts = readonly (string | null)[];

/** null where they are the same. A batch of each is held at a time. */
export async function differingNames(
  one: ColumnTable,
  other: ColumnTable,
  signal?: AbortSignal,
): Promise<Difference | null> {
  const [mine, theirs] = [namesOf(one, signal), namesOf(other, signal)];
  let [a, b]: Texts[] = [[], []];
  try {
    for (let position = 0; ; ) {
      if (a.length === 0) a = await nextOf(mine);
      if (b.length === 0) b = await nextOf(theirs);
      const length = Math.min(a.length, b.length);
      if (length === 0) return a.length === b.length ? null : { position, names: [a[0] ?? null, b[0] ?? null] };
      for (let i = 0; i < length; i++) {
        if (a[i] !== b[i]) return { position: position + i, names: [a[i], b[i]] };
      }
      [a, b] = [a.slice(length), b.slice(length)];
      position += length;
    }
  } finally {
    await mine.return(undefined);
    await theirs.return(undefined);
  }
}

/** The next names, none at the end. */
async function nextOf(names: AsyncGenerator<Texts>): Promise<Texts> {
  for (;;) {
    const next = await names.next();
    if (next.done) return [];
    if (next.value.length > 0) return next.value;
  }
}

async function* namesOf(frame: ColumnTable, signal: AbortSignal | undefined): AsyncGenerator<Texts> {
  const fields = frame.fields.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const source = indexSource(frameIndex(frame), fields, frame.name);
  let start = 0;
  for await (const batch of frame.batches(signal === undefined ? {} : { signal })) {
    yield textsOf(source.column(batch, start));
    start += batch.length;
  }
}
