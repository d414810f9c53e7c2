/**
 * Reads `Seurat` objects of versions 2 to 5 under AnnData's names. If there are several assays, they become modalities.
 */

import { UnsupportedError } from "annarrow";
import { countTextStrings } from "../../../containers/rds/model/text.js";
import { findOnlyString, type RCharacter, type RValue } from "../../../containers/rds/model/value.js";
import { computeFeatureRanks, findNamePositions, getModalityPath, isRank, toModalityName } from "../../seurat-names.js";
import type { RTables } from "../collect/tables.js";
import { createColumnTable } from "../matrices/forms.js";
import { isEmpty } from "../values/empty.js";
import { createNumberNames, createRCharacter, findRFrame, type RFrame, toRFrame } from "../values/frame.js";
import {
  findRStrings,
  getOrigins,
  getRList,
  getRSlot,
  hasSlots,
  listNamedElements,
  makeUniqueNames,
} from "../values/value.js";
import { type Assay, type AssayAxis, openAssay } from "./assay.js";
import { addOthers } from "./assay-extras.js";
import { addLayers } from "./layers.js";
import { addGraph, addReduction, countGraphCells, type ObjectCells } from "./reductions.js";
import { addAny, addOtherSlots, getMiscPath } from "./slots.js";

export function isSeurat(value: RValue): boolean {
  return hasSlots(value, "assays", "meta.data", "active.assay") || isSeurat2(value);
}

/** Whether an object has version 2, which has one assay with its matrices in the object's own slots. */
function isSeurat2(value: RValue): boolean {
  return hasSlots(value, "raw.data", "data", "meta.data");
}

/** Returns the version that is stored in an object, such as `4.1.3`. */
export function getSeuratVersion(value: RValue): string {
  const version = getRSlot(value, "version");
  const numbers = version.kind === "list" ? version.values[0] : undefined;
  if (numbers?.kind === "integer") return [...numbers.values].join(".");
  return findOnlyString(version) ?? "";
}

export async function addSeurat(value: RValue, prefix: string, tables: RTables): Promise<void> {
  const isOld = isSeurat2(value);
  const cells = await cellsOf(value, prefix, tables);
  const assays = await assaysOf(value, tables);
  const active = findOnlyString(getRSlot(value, "active.assay"));
  // The default assay comes first, because messages suggest the first one.
  const ordered = assays.toSorted(([a], [b]) => Number(b === active) - Number(a === active));
  const main = ordered[0]?.[0] ?? null;
  const several = ordered.length > 1;
  const place = (assay: string | null): string => {
    const known = ordered.some(([name]) => name === assay) ? assay : main;
    return several && known !== null ? getModalityPath(prefix, known) : prefix;
  };
  if (!several || prefix === "") await tables.frame(`${prefix}obs`, cells);
  const object = { prefix, cells: names(cells) };
  const axes = new Map<string, AssayAxis>();
  const placed: (readonly [assay: string, places: Int32Array | null])[] = [];
  for (const [name, assay] of ordered) {
    const own = place(name);
    await tables.attempt(`${own}X`, async () => {
      const opened = await openAssay(assay, tables, own);
      // If there are several assays, each is a separate dataset, which may have only some of the cells.
      const places = several && opened.cells !== null ? findNamePositions(opened.cells, object.cells, "cell") : null;
      placed.push([name, places]);
      const axis = { cells: places === null ? object.cells : (opened.cells ?? []), features: opened.features };
      axes.set(own, axis);
      if (several) await tables.frame(`${own}obs`, cells, places);
      await addFeatures(opened, own, tables);
      await addLayers(opened, axis, own, tables);
      if (assay !== value) await addOthers(assay, opened.features, own, tables);
    });
    if (several && !axes.has(own)) await tables.frame(`${own}obs`, cells);
  }
  if (prefix === "") await addCellMaps(placed, object.cells.length, tables);
  await addReductions(value, place, { axes, object }, tables);
  await addGraphs(value, place, { axes, object }, tables);
  const rest = prefix === "" ? prefix : place(main);
  await addBesideCells(value, cells.names, `${rest}uns/meta.data`, tables);
  for (const name of LISTS) await tables.beside(`${rest}uns/${name}`, getRSlot(value, name));
  await addRest(value, rest, tables);
  await addOtherSlots(value, isOld ? KNOWN_2 : KNOWN, (name) => `${rest}uns/${name}`, tables);
}

/** Slots that are read, and slots without data: the project name and the version. */
const KNOWN = new Set([
  ...["assays", "active.assay", "meta.data", "active.ident", "reductions", "graphs", "neighbors"],
  ...["images", "misc", "tools", "commands", "project.name", "version"],
]);

/** Slots whose elements are read one by one. The attributes of the lists themselves are read separately. */
const LISTS = ["assays", "assay", "reductions", "dr", "graphs", "neighbors"];

/** Slots of version 2, including `cell.names`, which are the cell names of `data`. */
const KNOWN_2 = new Set([
  ...["raw.data", "data", "scale.data", "var.genes", "meta.data", "ident", "assay", "dr", "snn", "cell.names"],
  ...["images", "misc", "tools", "commands", "project.name", "version"],
]);

/** Returns the assays by name. In version 2, the object itself is the first assay, and a list contains the others. */
async function assaysOf(value: RValue, tables: RTables): Promise<readonly (readonly [name: string, assay: RValue])[]> {
  if (!isSeurat2(value)) return listNamedElements(getRList(getRSlot(value, "assays"), "assays"));
  const others = await tables.attempt("assay", async () =>
    listNamedElements(getRList(getRSlot(value, "assay"), "assay")),
  );
  const all = [["RNA", value] as const, ...(others ?? [])];
  const names = makeUniqueNames(all.map(([name]) => name));
  return all.map(([, assay], i) => [names[i], assay]);
}

/**
 * If an assay lacks some cells, adds the position of each of the object's cells in each assay. The positions are stored
 * as `obsmap` in MuData: 1-based, with 0 for a cell that is not in the assay.
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
    const path = `obsmap/${toModalityName(name)}`;
    await tables.add(path, () => createColumnTable(path, { kind: "integer", values, attributes: new Map() }));
  }
}

function names({ names: own }: RFrame): readonly string[] {
  return own === null ? [] : (findRStrings(own) ?? []).map((name) => name ?? "NA");
}

/**
 * Returns the cells. The active identities become the column `ident`, as in `FetchData`, or `active.ident` if there
 * already is a column `ident`.
 */
async function cellsOf(value: RValue, prefix: string, tables: RTables): Promise<RFrame> {
  const ident = getRSlot(value, isSeurat2(value) ? "ident" : "active.ident");
  const cells = await tables.attempt(`${prefix}obs/meta.data`, async () => toRFrame(getRSlot(value, "meta.data")));
  // The identities also contain the names of the cells.
  const own = getRSlot(ident, "names");
  const frame: RFrame = cells ?? {
    rows: own.kind === "character" ? countTextStrings(own.text) : 0,
    names: own.kind === "character" ? { ...own, attributes: new Map() } : null,
    columns: [],
  };
  const index = frame.names ?? createNumberNames(frame.rows);
  // Our writer creates identities for cells without identities.
  if (isEmpty(ident) || getOrigins(ident).includes("made")) return { ...frame, names: index };
  const isTaken = frame.columns.some(([name]) => name === "ident");
  const attributes = new Map("attributes" in ident ? ident.attributes : []);
  attributes.delete("names");
  const identities = { ...ident, attributes };
  return { ...frame, names: index, columns: [...frame.columns, [isTaken ? "active.ident" : "ident", identities]] };
}

/** Adds what the cell frame, its columns and the identities have besides their values. */
async function addBesideCells(value: RValue, names: RFrame["names"], place: string, tables: RTables): Promise<void> {
  const cells = getRSlot(value, "meta.data");
  const ident = getRSlot(value, isSeurat2(value) ? "ident" : "active.ident");
  await tables.besideFrame(place, cells, [...(findRFrame(cells)?.columns ?? []), ["active.ident", ident]], names);
}

/** Adds var: the features of the assay, and which of them are variable. */
async function addFeatures({ features, frame, variable }: Assay, prefix: string, tables: RTables): Promise<void> {
  const own = await tables.attempt(`${prefix}var/meta.features`, async () =>
    frame === null ? [] : aligned(frame, features),
  );
  const columns = [...(own ?? [])];
  if (variable.length > 0 && !columns.some(([name]) => name === "highly_variable")) {
    const chosen = new Set(variable);
    const values = Int32Array.from(features, (name) => (chosen.has(name) ? 1 : 0));
    columns.push(["highly_variable", { kind: "logical", values, attributes: new Map() }]);
    const ranks = computeFeatureRanks(variable, features);
    if (ranks !== null && !columns.some(([name]) => isRank(name))) {
      columns.push(["highly_variable_rank", { kind: "real", values: ranks, attributes: new Map() }]);
    }
  }
  const index: RCharacter = createRCharacter(features);
  await tables.frame(`${prefix}var`, { rows: features.length, names: index, columns });
}

/** Returns the columns of the features if the dataframe has no names, or the feature names in the same order. */
function aligned(frame: RFrame, features: readonly string[]): RFrame["columns"] {
  const own = frame.names === null ? features : (findRStrings(frame.names) ?? []);
  if (frame.rows === 0) return [];
  if (frame.rows === features.length && own.every((name, i) => name === features[i])) return frame.columns;
  throw new UnsupportedError(
    `${frame.rows} rows of features in another order than the ${features.length} of the matrix`,
  );
}

type Place = (assay: string | null) => string;

/** Cells and features of the assays by path prefix, and the cells of the object. */
interface Axes {
  readonly axes: ReadonlyMap<string, AssayAxis>;
  readonly object: ObjectCells;
}

async function addReductions(value: RValue, place: Place, { axes, object }: Axes, tables: RTables): Promise<void> {
  const list = getRSlot(value, isSeurat2(value) ? "dr" : "reductions");
  await tables.attempt("reductions", async () => {
    for (const [name, reduction] of listNamedElements(getRList(list, "reductions"))) {
      const prefix = place(findOnlyString(getRSlot(reduction, "assay.used")));
      // If an assay cannot be read, the cells of the object are used, and its features are unknown.
      const axis = axes.get(prefix) ?? { cells: object.cells, features: [] };
      await tables.attempt(`${prefix}obsm/X_${name}`, () =>
        addReduction(name, reduction, { prefix, axis, object }, tables),
      );
    }
  });
}

async function addGraphs(value: RValue, place: Place, { axes, object }: Axes, tables: RTables): Promise<void> {
  const add = async (name: string, graph: RValue) => {
    const prefix = place(findOnlyString(getRSlot(graph, "assay.used")));
    await tables.attempt(`${prefix}obsp/${name}`, async () => {
      const cells = axes.get(prefix)?.cells ?? object.cells;
      // A graph with more cells than its assay belongs to the object.
      const isOfAll = cells.length < object.cells.length && countGraphCells(graph) === object.cells.length;
      await addGraph(name, graph, isOfAll ? object : { prefix, cells }, tables);
    });
  };
  for (const kind of ["graphs", "neighbors"]) {
    await tables.attempt(kind, async () => {
      for (const [name, graph] of listNamedElements(getRList(getRSlot(value, kind), kind))) await add(name, graph);
    });
  }
  if (isSeurat2(value) && !isEmpty(getRSlot(value, "snn"))) await add("snn", getRSlot(value, "snn"));
}

const REST = ["images", "misc", "tools"];

async function addRest(value: RValue, prefix: string, tables: RTables): Promise<void> {
  for (const name of REST) {
    const own = getRSlot(value, name);
    await addAny(`${prefix}${getMiscPath(name, own)}`, own, tables);
  }
  await tables.attempt(`${prefix}uns/commands`, async () => {
    const commands = getRList(getRSlot(value, "commands"), "commands");
    if (commands.values.length > 0)
      await tables.frame(`${prefix}uns/commands`, commandsFrame(listNamedElements(commands)));
    await tables.beside(`${prefix}uns/commands`, commands);
    for (const [name, command] of listNamedElements(commands)) {
      await addOtherSlots(command, COMMAND, (own) => `${prefix}uns/commands.${name}.${own}`, tables);
    }
  });
}

/** Slots of a command that are read, and its arguments. */
const COMMAND = new Set(["name", "time.stamp", "assay.used", "call.string", "params"]);

/** Makes the log of commands. The arguments of a command are part of the text of its call. */
function commandsFrame(commands: readonly (readonly [name: string, command: RValue])[]): RFrame {
  const text = (name: string): RValue =>
    createRCharacter(
      commands.map(([, command]) =>
        (findRStrings(getRSlot(command, name)) ?? [null]).map((line) => line ?? "").join("\n"),
      ),
    );
  const time = createRCharacter(commands.map(([, command]) => timeText(getRSlot(command, "time.stamp"))));
  return {
    rows: commands.length,
    names: createRCharacter(commands.map(([name]) => name)),
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
