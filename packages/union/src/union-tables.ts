/** A union's tables, as listed in its manifest. */

import type { UnionDataset, UnionManifest, UnionTable } from "./manifest-document.js";
import type { FeatureFile, MatrixOrder } from "./plan-document.js";
import { PRESENCE, type UnionPart } from "./report-document.js";

export interface UnionContent {
  readonly datasets: readonly UnionDataset[];
  readonly order: MatrixOrder;
  readonly matrices: readonly { readonly name: string }[];
  readonly arrays: readonly { readonly name: string }[];
  readonly features: { readonly count: number; readonly files: readonly FeatureFile[] };
  /** Files of all tables but var. */
  readonly parts: readonly UnionPart[];
  /** Category files of obs, keyed by column. */
  readonly categories: Readonly<Record<string, string>>;
}

/**
 * Lists the files of each table, dataset by dataset. Global row numbers do not change when a dataset is removed. A
 * reader that numbers observations from 0 must subtract `shift` from the row numbers in a file.
 */
export function unionTables(content: UnionContent): Pick<UnionManifest, "shape" | "tables"> {
  const { datasets, order, matrices, arrays, features, categories } = content;
  const places = new Map(datasets.map(({ id }, i) => [id, i]));
  const shifts: number[] = [];
  let rows = 0;
  for (const { range } of datasets) {
    shifts.push(range[0] - rows);
    rows += range[1] - range[0];
  }
  const partsOf = (table: string, isShifted: boolean) =>
    content.parts
      .filter((part) => part.table === table && places.has(part.dataset))
      .map(({ table: _, ...part }) => {
        const shift = shifts[places.get(part.dataset) ?? 0];
        return isShifted && shift > 0 ? { ...part, shift } : part;
      })
      .sort((a, b) => a.range[0] - b.range[0]);
  const listed = (name: string, kind: string, parts: UnionTable["parts"]): UnionTable => ({
    ...{ name, kind, parts },
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
  });
  return {
    shape: [rows, features.count],
    tables: [
      { ...listed("obs", "dataframe", partsOf("obs", false)), positions: "row", categories: { ...categories } },
      { ...listed("var", "dataframe", [...features.files]), positions: "col" },
      ...matrices.map(({ name }) => listed(name, `${order}_matrix`, partsOf(name, true))),
      ...arrays.map(({ name }) => ({ ...listed(name, "array", partsOf(name, false)), positions: "row" })),
      { ...listed(PRESENCE, "dataframe", partsOf(PRESENCE, false)), categories: { dataset_id: categories.dataset_id } },
    ],
  };
}

/** Returns the files of all tables in a manifest except var. */
export function listUnionParts(manifest: UnionManifest | null): readonly UnionPart[] {
  return (manifest?.tables ?? []).flatMap(({ name, parts }) =>
    parts.flatMap(({ dataset, range, shift: _, ...part }) =>
      dataset === undefined || range === undefined ? [] : [{ ...part, table: name, dataset, range }],
    ),
  );
}

export function getUnionFeatures(manifest: UnionManifest | null): UnionContent["features"] {
  const table = manifest?.tables.find(({ name }) => name === "var");
  const files = (table?.parts ?? []).map(({ file, rows, bytes, sha256 }) => ({ file, rows, bytes, sha256 }));
  return { count: table?.rows ?? 0, files };
}
