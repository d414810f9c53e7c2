/** `writeAnnData` into the recorder. */

import type { ColumnTable } from "../../../src/tables/column-table.js";
import { type AnnDataOptions, writeAnnData } from "../../../src/writers/anndata/write.js";
import { Recorder } from "../recorder.js";
import { names, table } from "../tables.js";

export type Options = Partial<AnnDataOptions> & { readonly kind?: Recorder["kind"] };

/** What is written of these tables. */
export async function written(tables: readonly ColumnTable[], { kind = "hdf5", ...options }: Options = {}) {
  const out = new Recorder(kind);
  const result = await writeAnnData(out, new Map(tables.map((one) => [one.name, one])), {
    profile: "portable",
    lossy: false,
    shape: null,
    ...options,
  });
  await out.close();
  return { out, ...result };
}

/** Frames of `n` observations and `m` variables. */
export function frames(n: number, m: number): ColumnTable[] {
  return [table("obs", [{ _index: names(n, "c") }]), table("var", [{ _index: names(m, "g") }])];
}
