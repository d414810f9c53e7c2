/** Locations of elements in R objects, keyed by element name, and elements that R stores in another form. */

import type { ArrowType } from "annarrow/core/arrow";
import type { ColumnTable } from "annarrow/core/tables";
import { findReduction } from "../seurat-names.js";

export type RGoal = "sce" | "seurat-v4" | "seurat-v5";

export const TITLES: Readonly<Record<RGoal, string>> = {
  sce: "SingleCellExperiment",
  "seurat-v4": "Seurat 4",
  "seurat-v5": "Seurat 5",
};

const MODALITY = /^mod\/[^/]+\//;

/** Splits an element name into the modality's path (`mod/rna/`) and the name in the modality. */
export function splitModalityPath(name: string): readonly [prefix: string, own: string] {
  const prefix = MODALITY.exec(name)?.[0] ?? "";
  return [prefix, name.slice(prefix.length)];
}

/**
 * Finds the elements that an object cannot hold, each with a description for messages.
 * @param tables all tables, by name.
 */
export function listUnplacedElements(
  tables: ReadonlyMap<string, Pick<ColumnTable, "fields" | "derived">>,
  goal: RGoal,
): readonly (readonly [name: string, part: string])[] {
  const names = [...tables].flatMap(([name, { derived }]) => (derived ? [] : [name]));
  const all = new Set(names);
  const isWhole = names.some((name) => MODALITY.test(name));
  return names.flatMap((name) => {
    const isOfWhole = isWhole && !MODALITY.test(name) && !/^(obs$|uns(\/|$))/.test(name);
    const part = isOfWhole
      ? placeOfWhole(name, tables)
      : (placeBesideFirst(name, goal, names) ?? missingPlace(name, goal, all));
    return part === null ? [] : [[name, part] as const];
  });
}

/**
 * Describes which part of an element outside a MuData's modalities an object cannot hold; null if nothing is lost.
 * Positions in the modalities are not needed. Features equal those of the modalities unless they have other columns.
 */
function placeOfWhole(name: string, tables: ReadonlyMap<string, Pick<ColumnTable, "fields">>): string | null {
  if (/^(obsmap|varmap)\//.test(name)) return null;
  // For each modality, mudata stores a mask of its cells and features.
  const mask = /^(obsm|varm)\/([^/]+)$/.exec(name)?.[2];
  if (mask !== undefined && [...tables.keys()].some((one) => one.startsWith(`mod/${mask}/`))) return null;
  if (name !== "var") return "it beside the modalities";
  const fields = tables.get(name)?.fields ?? [];
  const own = fields.slice(1).filter(({ name: column }) => {
    const [modality, ...rest] = column.split(":");
    const frame = tables.get(`mod/${modality}/var`)?.fields ?? [];
    return !frame.some((field) => field.name === rest.join(":"));
  });
  return own.length === 0 ? null : `its columns ${own.map((field) => field.name).join(", ")}`;
}

/**
 * In a SingleCellExperiment, the `uns` of a MuData and the `uns` of its first modality become one list, which cannot
 * hold two elements with the same name.
 */
function placeBesideFirst(name: string, goal: RGoal, names: readonly string[]): string | null {
  const [first = ""] = names.flatMap((one) => MODALITY.exec(one)?.[0] ?? []);
  if (goal !== "sce" || first === "" || !name.startsWith("uns/")) return null;
  const path = `${first}${getUnsKey(name)}`;
  return names.some((one) => one === path || one.startsWith(`${path}/`)) ? `it beside ${path}` : null;
}

/** Returns the topmost element of `uns` on a path, such as `uns/pca` for `uns/pca/stdev`. */
export function getUnsKey(path: string): string {
  return path.split("/", 2).join("/");
}

/** Returns the reason why an element cannot be stored; null if it can be stored. */
function missingPlace(name: string, goal: RGoal, all: ReadonlySet<string>): string | null {
  const [prefix, own] = splitModalityPath(name);
  const [top, key = ""] = own.split("/");
  const isSeurat = goal !== "sce";
  switch (top) {
    case "obs":
    case "var":
    case "X":
    case "uns":
      return null;
    case "layers":
      return goal === "seurat-v4" && key !== "counts" && key !== "scale.data"
        ? "it, as Seurat 5 has (--seurat v5)"
        : null;
    case "obsm":
      return null;
    case "varm":
      return !isSeurat || findReduction(key, (one) => all.has(`${prefix}obsm/${one}`)) !== null ? null : "";
    case "obsp":
      return null;
    case "varp":
      return isSeurat ? "" : null;
    case "raw":
      return key === "X" || key === "var" || (key === "varm" && !isSeurat) ? null : "";
    default:
      return "";
  }
}

const MAX_NAMED = 3;

/**
 * Returns a note about elements with floats of fewer than 64 bits, which R stores with 64 bits; null if there are none.
 */
export function describeWiderFloats(tables: ReadonlyMap<string, ColumnTable>): string | null {
  const names = [...tables].flatMap(([name, { fields, derived }]) =>
    !derived && fields.some(({ type }) => hasShortFloats(type)) ? [name] : [],
  );
  if (names.length === 0) return null;
  const others = names.length - MAX_NAMED;
  const rest = others > 0 ? ` and ${others} ${others === 1 ? "other" : "others"}` : "";
  return `${names.slice(0, MAX_NAMED).join(", ")}${rest}: 32-bit floats, which R holds as 64-bit ones with the same values`;
}

function hasShortFloats(type: ArrowType): boolean {
  if (type.id === "Float") return type.bits < 64;
  if (type.id === "FixedSizeList" || type.id === "List") return hasShortFloats(type.item.type);
  return type.id === "Struct" && type.fields.some((field) => hasShortFloats(field.type));
}
