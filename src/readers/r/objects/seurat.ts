/** `Seurat` objects of versions 2 to 5 under the names of AnnData; assays are modalities where there are several. */

import { onlyString, type RCharacter, type RValue } from "../../../containers/rds/model/value.js";
import { UnsupportedError } from "../../../model/errors.js";
import { below, isRank, modalityName, placesOf, ranksOf } from "../../seurat-names.js";
import type { RTables } from "../collect/tables.js";
import { columnTable } from "../matrices/forms.js";
import { characters, frameOf, numbered, type RFrame } from "../values/frame.js";
import { called, hasSlots, listOf, namedElements, slot, stringsOf } from "../values/value.js";
import { type Assay, type AssayAxis, assayOf } from "./assay.js";
import { addOthers } from "./assay-others.js";
import { addLayers } from "./layers.js";
import { addGraph, addReduction, graphCells, type ObjectCells } from "./reductions.js";

export function isSeurat(value: RValue): boolean {
  return hasSlots(value, "assays", "meta.data", "active.assay") || isSeurat2(value);
}

/** Objects of version 2 have one assay, whose matrices are slots of the object. */
export function isSeurat2(value: RValue): boolean {
  return hasSlots(value, "raw.data", "data", "meta.data");
}

/** The version that an object states, as `4.1.3`. */
export function seuratVersion(value: RValue): string {
  const version = slot(value, "version");
  const numbers = version.kind === "list" ? version.values[0] : undefined;
  if (numbers?.kind === "integer") return [...numbers.values].join(".");
  return onlyString(version) ?? "";
}

/** Adds all elements of an object below `prefix`. */
export async function addSeurat(value: RValue, prefix: string, tables: RTables): Promise<void> {
  const cells = cellsOf(value);
  const assays = isSeurat2(value) ? [["RNA", value] as const] : namedElements(listOf(slot(value, "assays"), "assays"));
  const active = onlyString(slot(value, "active.assay"));
  // The default assay comes first: it is the one that a message proposes.
  const ordered = assays.toSorted(([a], [b]) => Number(b === active) - Number(a === active));
  const main = ordered[0]?.[0] ?? null;
  const several = ordered.length > 1;
  const place = (assay: string | null): string => {
    const known = ordered.some(([name]) => name === assay) ? assay : main;
    return several && known !== null ? below(prefix, known) : prefix;
  };
  if (!several || prefix === "") await tables.frame(`${prefix}obs`, cells);
  const object = { prefix, cells: names(cells) };
  const axes = new Map<string, AssayAxis>();
  const placed: (readonly [assay: string, places: Int32Array | null])[] = [];
  for (const [name, assay] of ordered) {
    const own = place(name);
    await tables.attempt(`${own}X`, async () => {
      const opened = await assayOf(assay, tables.cx, own);
      // Only assays beside others are datasets of their own, which may have some of the cells.
      const places = several && opened.cells !== null ? placesOf(opened.cells, object.cells, "cell") : null;
      placed.push([name, places]);
      const axis = { cells: places === null ? object.cells : (opened.cells ?? []), features: opened.features };
      axes.set(own, axis);
      if (several) await tables.frame(`${own}obs`, cells, places);
      await addFeatures(opened, own, tables);
      await addLayers(opened, axis, own, tables);
      if (!isSeurat2(value)) await addOthers(assay, opened.features, own, tables);
    });
    if (several && !axes.has(own)) await tables.frame(`${own}obs`, cells);
  }
  if (prefix === "") await addCellMaps(placed, object.cells.length, tables);
  await addReductions(value, place, { axes, object }, tables);
  await addGraphs(value, place, { axes, object }, tables);
  await addRest(value, prefix === "" ? prefix : place(main), tables);
}

/**
 * Adds where the cells of the object stand in each assay, if an assay has not all of them: as `obsmap` of MuData, the place
 * plus one, or 0.
 */
async function addCellMaps(
  assays: readonly (readonly [name: string, places: Int32Array | null])[],
  cells: number,
  tables: RTables,
): Promise<void> {
  if (assays.every(([, places]) => places === null)) return;
  for (const [name, places] of assays) {
    const values = Int32Array.from({ length: cells }, (_, i) => (places === null ? i + 1 : 0));
    for (const [i, place] of places?.entries() ?? []) values[place] = i + 1;
    const path = `obsmap/${modalityName(name)}`;
    await tables.add(path, () => columnTable(path, { kind: "integer", values, attributes: new Map() }));
  }
}

function names({ names: own }: RFrame): readonly string[] {
  return own === null ? [] : (stringsOf(own) ?? []).map((name) => name ?? "NA");
}

/** The cells, with the active identities as the column `ident`, as `FetchData` calls them. */
function cellsOf(value: RValue): RFrame {
  const cells = frameOf(slot(value, "meta.data"));
  const ident = slot(value, isSeurat2(value) ? "ident" : "active.ident");
  const index = cells.names ?? numbered(cells.rows);
  const isFree = ident.kind === "integer" && !cells.columns.some(([name]) => name === "ident");
  if (!isFree || ident.values.length !== cells.rows) return { ...cells, names: index };
  const attributes = new Map(ident.attributes);
  attributes.delete("names");
  return { ...cells, names: index, columns: [...cells.columns, ["ident", { ...ident, attributes }]] };
}

/** Adds var: the features of the assay, and which of them are variable. */
async function addFeatures({ features, frame, variable }: Assay, prefix: string, tables: RTables): Promise<void> {
  const columns = [...(frame === null ? [] : aligned(frame, features))];
  if (variable.length > 0 && !columns.some(([name]) => name === "highly_variable")) {
    const chosen = new Set(variable);
    const values = Int32Array.from(features, (name) => (chosen.has(name) ? 1 : 0));
    columns.push(["highly_variable", { kind: "logical", values, attributes: new Map() }]);
    const ranks = ranksOf(variable, features);
    if (ranks !== null && !columns.some(([name]) => isRank(name))) {
      columns.push(["highly_variable_rank", { kind: "real", values: ranks, attributes: new Map() }]);
    }
  }
  const index: RCharacter = characters(features);
  await tables.frame(`${prefix}var`, { rows: features.length, names: index, columns });
}

/** The columns of the features, if the frame has the features' names in their order, or no names. */
function aligned(frame: RFrame, features: readonly string[]): RFrame["columns"] {
  const own = frame.names === null ? features : (stringsOf(frame.names) ?? []);
  if (frame.rows === 0) return [];
  if (frame.rows === features.length && own.every((name, i) => name === features[i])) return frame.columns;
  throw new UnsupportedError(
    `${frame.rows} rows of features in another order than the ${features.length} of the matrix`,
  );
}

type Place = (assay: string | null) => string;

/** The cells and features of the assays by their places, and the cells of the object. */
interface Axes {
  readonly axes: ReadonlyMap<string, AssayAxis>;
  readonly object: ObjectCells;
}

async function addReductions(value: RValue, place: Place, { axes, object }: Axes, tables: RTables): Promise<void> {
  const list = slot(value, isSeurat2(value) ? "dr" : "reductions");
  await tables.attempt("reductions", async () => {
    for (const [name, reduction] of namedElements(listOf(list, "reductions"))) {
      const prefix = place(onlyString(slot(reduction, "assay.used")));
      const axis = axes.get(prefix);
      if (axis !== undefined) await addReduction(name, reduction, { prefix, axis, object }, tables);
    }
  });
}

async function addGraphs(value: RValue, place: Place, { axes, object }: Axes, tables: RTables): Promise<void> {
  for (const kind of ["graphs", "neighbors"]) {
    await tables.attempt(kind, async () => {
      for (const [name, graph] of namedElements(listOf(slot(value, kind), kind))) {
        const prefix = place(onlyString(slot(graph, "assay.used")));
        const cells = axes.get(prefix)?.cells ?? object.cells;
        // A graph of more cells than its assay has is one of the object.
        const isOfAll = cells.length < object.cells.length && graphCells(graph) === object.cells.length;
        if (isOfAll) await addGraph(`${object.prefix}obsp/${name}`, graph, object.cells, tables);
        else await addGraph(`${prefix}obsp/${name}`, graph, cells, tables);
      }
    });
  }
}

const REST = ["images", "misc", "tools"];

async function addRest(value: RValue, prefix: string, tables: RTables): Promise<void> {
  for (const name of REST) {
    const path = `${prefix}uns/${name}`;
    await tables.attempt(path, async () => {
      const rest = slot(value, name);
      if (rest.kind === "list") await tables.mapping(path, rest);
      else if (rest.kind !== "null") throw new UnsupportedError(called(rest));
    });
  }
  await tables.attempt(`${prefix}uns/commands`, async () => {
    const commands = listOf(slot(value, "commands"), "commands");
    if (commands.values.length > 0) await tables.frame(`${prefix}uns/commands`, commandsFrame(namedElements(commands)));
  });
}

/** The log of commands. Their arguments are in the text of the call. */
function commandsFrame(commands: readonly (readonly [name: string, command: RValue])[]): RFrame {
  const text = (name: string): RValue =>
    characters(
      commands.map(([, command]) => (stringsOf(slot(command, name)) ?? [null]).map((line) => line ?? "").join("\n")),
    );
  const time = characters(commands.map(([, command]) => timeText(slot(command, "time.stamp"))));
  return {
    rows: commands.length,
    names: characters(commands.map(([name]) => name)),
    columns: [
      ["name", text("name")],
      ["assay.used", text("assay.used")],
      ["call.string", text("call.string")],
      ["time.stamp", time],
    ],
  };
}

function timeText(value: RValue): string | null {
  if (value.kind !== "real" || value.values.length !== 1 || !(Math.abs(value.values[0]) < 8.64e12)) return null;
  return new Date(value.values[0] * 1000).toISOString();
}
