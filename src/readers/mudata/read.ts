/**
 * A MuData file or store -> the plans of its tables: elements of the whole under their own paths, those of a modality,
 * which is an AnnData, below `mod/<name>/`.
 */

import type { Group } from "../../containers/tree/container.js";
import type { TablePlan } from "../../jobs/plan/plan.js";
import {
  type AnnarrowError,
  InvalidDataError,
  isAnnarrowError,
  locateBelow,
  UnsupportedError,
} from "../../model/errors.js";
import { openChild, type ReaderContext } from "../context.js";
import { inOrder } from "../in-order.js";
import type { ReadPlans } from "../reader.js";
import type { ReadRoot, RootLayout } from "../root-layout.js";
import { FoundElements, noting } from "../tree.js";
import { orderedModalities, sharedAxis } from "./attributes.js";
import { inModality } from "./modality-tables.js";

/** The whole has no matrix of its own. mudata makes obs and var of those of the modalities where there are none. */
const WHOLE: RootLayout = {
  mappings: ["obsm", "varm", "obsp", "varp", "uns", "obsmap", "varmap"],
  others: new Set(["mod"]),
  needsFrames: false,
  movesGraphs: false,
};

/** More than any real file has: links could lead each to the same elements. */
const MAX_MODALITIES = 1000;

/** @param readRoot reads what is stored as in AnnData: the whole, and each modality. */
export function mudataReader(readRoot: ReadRoot): ReadPlans {
  return async (root, cx) => {
    const axis = sharedAxis(root, cx);
    const whole = await readRoot(root, cx, WHOLE);
    const tables = [...whole.tables];
    const failures = new Map(whole.failures);
    for (const part of await modalities(root, readRoot, failures, cx)) {
      tables.push(...part.tables);
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
  const parts = await inOrder(names, async (name) => {
    const own = new FoundElements();
    return { own, part: await modality(mod, name, readRoot, noting(own, cx)) };
  });
  return parts.map(({ own, part }) => {
    for (const warning of own.warnings) cx.warn(warning);
    return part;
  });
}

/** One that cannot be read does not hide the others. */
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
      tables: tables.map((table) => inModality(table, path)),
      failures: new Map([...failures].map(([own, error]) => [`${path}/${own}`, locateBelow(error, path)])),
    };
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { tables: [], failures: new Map([[path, locateBelow(error, path)]]) };
  }
}

/** The observations remember which axis is shared; where there are none, the first table does. */
function withAxis(tables: readonly TablePlan[], axis: 0 | 1 | -1): TablePlan[] {
  const keeper = tables.find(({ name }) => name === "obs") ?? tables[0];
  return tables.map((table) => (table === keeper ? { ...table, metadata: { ...table.metadata, axis } } : table));
}
