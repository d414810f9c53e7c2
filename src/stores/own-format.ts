/** Zarr holds an AnnData or a MuData: which one, the tables say. */

import type { NamedTables } from "../annotated/converted.js";
import type { StoreFormat } from "../formats/output.js";

export function ownFormat(format: StoreFormat, { format: given, tables }: NamedTables): StoreFormat {
  if (format !== "zarr" && format !== "zarr.zip") return format;
  const isMuData =
    given === "mudata" || (given === "tables" && [...tables.keys()].some((name) => name.startsWith("mod/")));
  return isMuData ? `mudata.${format}` : format;
}
