/** Exports the values of a figure as CSV, in full precision. */

import type { MatrixPoint } from "./matrix-figure.js";

export function valuesCsv(points: readonly MatrixPoint[], sizes: ReadonlyMap<string, number>): Blob {
  const lines = points.map(({ gene, group, mean, share }) =>
    [field(gene), field(group), sizes.get(group) ?? 0, mean, share].join(","),
  );
  return new Blob([["gene,group,cells,mean,share", ...lines, ""].join("\r\n")], { type: "text/csv" });
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
