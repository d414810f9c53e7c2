/**
 * Reads a MuData file or store. Each top-level table is named by its element's path. Each modality is an AnnData, whose
 * tables have names below `mod/<name>/`.
 */

import type { AttributeValue, Group } from "../../containers/tree/container.js";
import { renamePlan } from "../../jobs/plan/listed-nodes.js";
import type { TablePlan } from "../../jobs/plan/plan.js";
import {
  type AnnarrowError,
  InvalidDataError,
  isAnnarrowError,
  locateBelow,
  UnsupportedError,
} from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import { openChild, type ReaderContext, type ReadPlans, type ReadRoot, type RootLayout } from "../reader.js";
import { FoundElements, withWarningsTo } from "../tree.js";

/**
 * Layout of the top level, which has no matrix. obs and var are optional, because mudata creates them from the
 * modalities' obs and var.
 */
const WHOLE: RootLayout = {
  mappings: ["obsm", "varm", "obsp", "varp", "uns", "obsmap", "varmap"],
  others: new Set(["mod"]),
  needsFrames: false,
  movesGraphs: false,
};

/**
 * Maximum number of modalities; real files have fewer. Links could make any number of names point to the same element.
 */
const MAX_MODALITIES = 1000;

/**
 * Creates the reader of MuData.
 * @param readRoot reads the elements of AnnData, at the top level and in each modality.
 */
export function createMuDataReader(readRoot: ReadRoot): ReadPlans {
  return async (root, cx) => {
    const axis = sharedAxis(root, cx);
    const whole = await readRoot(root, cx, WHOLE);
    const tables = [...whole.tables];
    const failures = new Map(whole.failures);
    for (const part of await modalities(root, readRoot, failures, cx)) {
      for (const table of part.tables) tables.push(table);
      for (const [name, error] of part.failures) failures.set(name, error);
    }
    return { ...whole, tables: axis === null ? tables : withAxis(tables, axis), failures };
  };
}

interface Part {
  readonly tables: readonly TablePlan[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

async function modalities(
  root: Group,
  readRoot: ReadRoot,
  failures: Map<string, AnnarrowError>,
  cx: ReaderContext,
): Promise<Part[]> {
  const found = new FoundElements();
  const mod = await found.element("mod", async () => {
    const node = await openChild(root, "mod", cx);
    if (node.kind === "group") return node;
    throw new InvalidDataError("an array, the group of the modalities is needed");
  });
  const keys = mod === null ? [] : await found.keys("mod", mod, cx);
  if (keys.length > MAX_MODALITIES) {
    found.failures.set("mod", new UnsupportedError(`${keys.length} modalities, more than ${MAX_MODALITIES}`));
  }
  for (const [name, error] of found.failures) failures.set(name, error);
  if (mod === null || found.failures.size > 0) return [];
  const names = orderedModalities(mod, keys, cx);
  const parts = await mapConcurrently(names, async (name) => {
    const own = new FoundElements();
    return { own, part: await modality(mod, name, readRoot, withWarningsTo(own, cx)) };
  });
  return parts.map(({ own, part }) => {
    for (const warning of own.warnings) cx.warn(warning);
    return part;
  });
}

/** Reads a modality. An error becomes a failure at the modality's path. */
async function modality(mod: Group, name: string, readRoot: ReadRoot, cx: ReaderContext): Promise<Part> {
  const path = `mod/${name}`;
  try {
    const group = await openChild(mod, name, cx);
    if (group.kind !== "group") throw new InvalidDataError("an array, the group of a modality is needed");
    if (group.attributes.get("encoding-type") === "MuData") {
      throw new UnsupportedError("a MuData inside a MuData: open it by its path");
    }
    const { tables, failures } = await readRoot(group, cx);
    return {
      tables: tables.map((table) => renamePlan(table, `${path}/${table.name}`)),
      failures: new Map([...failures].map(([own, error]) => [`${path}/${own}`, locateBelow(error, path)])),
    };
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { tables: [], failures: new Map([[path, locateBelow(error, path)]]) };
  }
}

/** Adds the shared axis to the metadata of obs, or of the first table if the dataset has no obs. */
function withAxis(tables: readonly TablePlan[], axis: 0 | 1 | -1): TablePlan[] {
  const keeper = tables.find(({ name }) => name === "obs") ?? tables[0];
  return tables.map((table) => (table === keeper ? { ...table, metadata: { ...table.metadata, axis } } : table));
}

/**
 * Reads the axis that all modalities share: 0 for observations, 1 for variables, -1 for both; null if the file does not
 * specify it.
 */
function sharedAxis(root: Group, cx: ReaderContext): 0 | 1 | -1 | null {
  const stored = root.attributes.get("axis");
  if (stored === undefined) return null;
  const value = Array.isArray(stored) && stored.length === 1 ? stored[0] : stored;
  const axis = typeof value === "bigint" ? Number(value) : value;
  if (axis === 0 || axis === 1 || axis === -1) return axis;
  cx.warn(`axis is ${shown(stored)}, which is none of 0, 1 and -1; it is taken for 0`);
  return null;
}

/**
 * Orders the modalities' names by `mod-order`, unless that attribute lists different names.
 * @param names the names in the group's order.
 */
function orderedModalities(mod: Group, names: readonly string[], cx: ReaderContext): readonly string[] {
  const stored = mod.attributes.get("mod-order");
  // h5py stores an empty list as floats.
  if (stored === undefined || (Array.isArray(stored) && stored.length === 0)) return names;
  const order = typeof stored === "string" ? [stored] : stored;
  if (!Array.isArray(order) || !order.every((name) => names.some((known) => known === name))) {
    cx.warn(`mod-order ${shown(stored)} is no list of the modalities; they stand in the order of their names`);
    return names;
  }
  const first = names.filter((name) => order.includes(name)).toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  const others = names.filter((name) => !order.includes(name));
  if (others.length > 0) cx.warn(`mod-order leaves out ${shown(others)}, which mudata would not read`);
  return [...first, ...others];
}

function shown(value: AttributeValue): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
