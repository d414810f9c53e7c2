/** Reads MATLAB 7.3 files, hdf5storage files, and other HDF5 files named .mat. Every variable becomes a table. */

import type { Container, Group, Node } from "../../containers/tree/container.js";
import { createTablePlan, type TablePlan } from "../../jobs/plan/plan.js";
import { isAnnarrowError } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import { type DatasetPlans, listChildNames, openChild, type ReaderContext } from "../reader.js";
import { createDerivedPlan, FoundElements, withWarningsTo } from "../tree.js";
import { isMatlabHeader, parseHeaderText } from "./detect.js";
import { type Listing, TableCollector } from "./tables.js";
import { Limits, type MatlabContext, type ObjectStore, TOP_SCOPE } from "./values/context.js";
import { McosStore } from "./values/object-store.js";
import { readValueOrFailure } from "./values/read-value.js";

/** The group that contains the properties of objects. */
const SUBSYSTEM = "#subsystem#";

/** Groups in the root that are not variables, but contain the targets of references, or objects. */
const INNER = new Set(["#refs#", SUBSYSTEM]);

interface Variable {
  readonly name: string;
  readonly found: FoundElements;
  readonly listing: Listing | null;
  readonly objects: ReadonlyMap<string, Node>;
}

export async function readMatlab(
  root: Group,
  plain: ReaderContext,
): Promise<Pick<DatasetPlans, "version" | "shape" | "tables" | "failures">> {
  const keys = await listChildNames(root, plain);
  const limits = new Limits();
  const without: MatlabContext = { ...plain, limits, store: null };
  const subsystem = keys.includes(SUBSYSTEM) ? await openSubsystem(root, without) : null;
  const cx: MatlabContext = { ...without, store: await openStore(subsystem, without) };
  const names = keys.filter((key) => !INNER.has(key));
  const variables = await mapConcurrently(names, (name) => readVariable(root, name, cx));
  const found = new FoundElements();
  for (const variable of variables) found.add(variable.found);
  for (const warning of new Set(found.warnings)) plain.warn(warning);
  const objects = new Map(variables.flatMap((variable) => [...variable.objects]));
  // Objects cannot be written again without the subsystem that they share.
  const isLost = subsystem === null && keys.includes(SUBSYSTEM);
  const kept = keptObjects(plain.container, subsystem, isLost ? new Map() : objects, found);
  const tables: TablePlan[] = [...found.tables].map(([name, element]) => ({
    ...createTablePlan({ ...element, name, text: plain.text }),
    ...kept,
  }));
  for (const { name, listing } of variables) {
    if (listing === null) continue;
    const derived = createDerivedPlan(name, listing.nodes, cx);
    const { [name]: own, ...mappings } = listing.mappings;
    const inner = Object.keys(mappings).length === 0 ? {} : { mappings };
    tables.push({
      ...derived,
      ...kept,
      metadata: { ...derived.metadata, ...(typeof own === "object" ? own : {}), ...inner },
    });
  }
  return { version: version(plain.container), shape: null, tables, failures: found.failures };
}

/** Returns the stored nodes of objects, so that a writer can copy them. Most files contain no objects. */
function keptObjects(
  container: Container,
  shared: Node | null,
  nodes: ReadonlyMap<string, Node>,
  { tables }: FoundElements,
): Pick<TablePlan, "kept"> {
  if (shared === null && nodes.size === 0) return {};
  return { kept: { container, shared, nodes, tables: new Set(tables.keys()) } };
}

async function readVariable(root: Group, name: string, plain: MatlabContext): Promise<Variable> {
  const found = new FoundElements();
  const cx = withWarningsTo(found, plain);
  const value = await readValueOrFailure(() => openChild(root, name, cx), TOP_SCOPE, cx);
  const tables = new TableCollector(found, cx);
  const listing = await tables.add(name, value, null);
  return { name, found, listing, objects: tables.objects };
}

async function openSubsystem(root: Group, cx: MatlabContext): Promise<Node | null> {
  try {
    return await openChild(root, SUBSYSTEM, cx);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    cx.warn(`${SUBSYSTEM}: ${error.problem}; objects are kept as they are stored`);
    return null;
  }
}

/** Opens the store of objects. If it cannot be read, objects become tables that contain their stored numbers. */
async function openStore(subsystem: Node | null, cx: MatlabContext): Promise<ObjectStore | null> {
  try {
    if (subsystem?.kind !== "group" || !(await listChildNames(subsystem, cx)).includes("MCOS")) return null;
    const node = await openChild(subsystem, "MCOS", cx);
    return node.kind === "array" ? await McosStore.open(node, cx) : null;
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    cx.warn(`#subsystem#/MCOS: ${error.problem}; objects are kept as they are stored`);
    return null;
  }
}

/** Returns the version from the header; `""` for files without a header. */
function version({ userBlock }: Container): string {
  if (userBlock === undefined || !isMatlabHeader(userBlock)) return "";
  return /^MATLAB (\d+\.\d+)/.exec(parseHeaderText(userBlock))?.[1] ?? "7.3";
}
