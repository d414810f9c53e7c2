/** Which options a store's format has. Others are refused: nothing that is asked for is passed over. */

import { formatOf, type StoreFormat } from "../formats/output.js";
import { InvalidInputError } from "../model/errors.js";
import type { StoreOptions } from "./write.js";

type FormatOption = "zarrFormat" | "anndata" | "loomVersion" | "matlab" | "packed" | "order" | "type" | "group";

/** The options of one format alone, with what an error calls them. */
const ONLY: Readonly<Record<FormatOption, { readonly of: (format: StoreFormat) => boolean; readonly what: string }>> = {
  zarrFormat: { of: (format) => /zarr/.test(format), what: "a version of Zarr (--zarr-format)" },
  anndata: { of: isAnnData, what: "encodings of AnnData (--anndata)" },
  loomVersion: { of: (format) => format === "loom", what: "a version of the specification (--loom-version)" },
  matlab: { of: (format) => format === "mat", what: "a profile of MATLAB (--mat-profile)" },
  packed: { of: isBpcells, what: "packed arrays (--unpacked)" },
  order: { of: isBpcells, what: "a storage order (--order)" },
  type: { of: isBpcells, what: "a type of its values (--type)" },
  group: { of: (format) => format === "bpcells.h5", what: "a group (--group)" },
};

const OPTIONS = Object.keys(ONLY).filter((name): name is FormatOption => name in ONLY);

/** @throws {InvalidInputError} for an option that the format has not. */
export function checkStoreOptions(format: StoreFormat, options: StoreOptions): void {
  for (const name of OPTIONS) {
    if (options[name] === undefined || ONLY[name].of(format)) continue;
    throw new InvalidInputError(`.${format} has no choice of ${ONLY[name].what}`);
  }
}

/** @throws {InvalidInputError} for an option of stores that tables of their own have not. */
export function checkTableOptions(options: Omit<StoreOptions, "compression">): void {
  const given = OPTIONS.find((name) => options[name] !== undefined);
  if (given !== undefined) throw new InvalidInputError(`files of tables have no choice of ${ONLY[given].what}`);
  if (options.matrix !== undefined) {
    throw new InvalidInputError("files of tables have no matrix to be chosen: name the tables (--table)");
  }
  if (options.elements !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of variables: choose some by their names (--table), not as elements (--X, --obs, --var, --element)",
    );
  }
  if (options.obsNames !== undefined || options.varNames !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of columns: there are none to choose (--obs-names, --var-names)",
    );
  }
}

function isAnnData(format: StoreFormat): boolean {
  return formatOf(format) === "anndata" || formatOf(format) === "mudata";
}

function isBpcells(format: StoreFormat): boolean {
  return formatOf(format) === "bpcells";
}
