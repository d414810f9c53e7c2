/** How a table of a BPCells store is stored: what `inspect` tells besides its columns. */

import type { TableMetadata } from "../model/dataset.js";

export interface StorageOutline {
  readonly version: string;
  readonly packed: boolean;
  readonly order?: "row" | "column";
  /** That one value takes, by the names of the stored arrays. */
  readonly bits: Readonly<Record<string, number>>;
}

/** Null for a table of another format. */
export function storageOf({ version, order, bits }: TableMetadata): StorageOutline | null {
  if (typeof version !== "string" || typeof bits !== "object" || bits === null) return null;
  const numbers = Object.entries(bits).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return {
    version,
    packed: version.startsWith("packed"),
    ...(order === "row" || order === "column" ? { order } : {}),
    bits: Object.fromEntries(numbers),
  };
}

/** `packed-uint-matrix-v2, column order, 7.5 bits per index, 4.8 per value` */
export function storageText({ version, order, bits }: StorageOutline): string {
  const each = Object.entries(bits).map(
    ([name, size], i) => `${Number(size.toFixed(1))}${i === 0 ? " bits" : ""} per ${name}`,
  );
  return [version, ...(order === undefined ? [] : [`${order} order`]), ...each].join(", ");
}
