/** Single-table file formats in which the page saves. */

import type { RowsFormat } from "annarrow/view";

export const FORMAT_WORDS: Readonly<Record<RowsFormat, string>> = { csv: "CSV", parquet: "Parquet", arrow: "Arrow" };

export const EXPORT_FORMATS: readonly RowsFormat[] = ["csv", "parquet", "arrow"];
