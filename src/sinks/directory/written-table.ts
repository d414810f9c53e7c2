/** One table of a directory while it is written, whichever way it takes. */

import type { Target } from "../../targets/target.js";
import type { FileNames } from "./file-names.js";

export type TablesFormat = "parquet" | "arrow" | "csv" | "tsv";

/** What is known of a table once it is written: `categories` are files by the path of their column. */
export interface WrittenTable {
  readonly rows: number;
  readonly categories: Readonly<Record<string, string>>;
}

/** A table whose encoding has begun; it must be written or closed. */
export interface Writing {
  write(file: string, names: FileNames, target: Target): Promise<WrittenTable>;
  close(): Promise<unknown>;
}
