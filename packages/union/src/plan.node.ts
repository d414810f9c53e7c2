/** Plans a union: reads the metadata of all inputs, and writes the new features. */

import { createHash } from "node:crypto";
import { InvalidInputError, isAnnarrowError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import { describeArrowType } from "annarrow/core/arrow";
import { getCommonNumericType, listFrameColumns, type NumericType, readDictionaries } from "annarrow/core/concat";
import type { SourceIdentity } from "annarrow/core/query";
import { countStoredEntries, getOriginalName, hasStoredRows, toNames } from "annarrow/core/tables";
import { checkUnchangedType, listObsmArrays, uniteArrays } from "./arrays.js";
import { type CutInput, cutTasks } from "./cut-tasks.js";
import { readFeatures, writeFeatures } from "./feature-files.node.js";
import { FeatureRegistry } from "./features.js";
import { openInput, type TakenElements, type UnionInput } from "./inputs.node.js";
import type { FlatField } from "./json-types.js";
import type { UnionManifest } from "./manifest-document.js";
import { getNumericValueType, listMatrixNames } from "./matrix-files.js";
import type { PlannedInput, UnionPlan } from "./plan-document.js";
import type { UnionStore } from "./store.js";
import { readTextColumn } from "./text-file.node.js";
import { getUnionAccess, type UnionAccess, type UnionElements, type UnionOptions } from "./union-options.js";
import { getUnionFeatures } from "./union-tables.js";
import { type FrameFields, uniteColumns } from "./united-columns.js";

/** Number of inputs opened concurrently. */
const AT_ONCE = 8;

/** Entries per task if the number of tasks is not specified. */
const TASK_WORK = 2 ** 26;

/** Column names reserved for the union's own columns in its dataframes and matrices. */
const OWN_COLUMNS = ["row", "col", "value", "dataset_id", "_index"];

export interface UnionSource {
  readonly id: string;
  readonly source: string;
}

interface Surveyed {
  readonly input: UnionSource;
  readonly identity: SourceIdentity | null;
  readonly shape: readonly [number, number];
  readonly obs: FrameFields;
  readonly var: FrameFields;
  readonly matrices: ReadonlyMap<string, { readonly type: NumericType; readonly entries: number | null }>;
  readonly arrays: ReturnType<typeof listObsmArrays>;
  readonly isDivisible: boolean;
  readonly keys: readonly Column[];
  readonly warnings: readonly string[];
}

/**
 * Plans the union of all inputs, or their addition to an existing union.
 * @throws {InvalidInputError} for incompatible inputs (the message names the files, the element and both types), for
 * repeated features, and for dataset names that already exist.
 * @throws the error of the first input that cannot be read, unless `skipBroken` is set.
 */
export async function planInputs(
  inputs: readonly UnionSource[],
  store: UnionStore,
  before: UnionManifest | null,
  given: UnionOptions,
): Promise<UnionPlan> {
  checkIds(inputs, before);
  const options = { ...given, elements: elementsOf(given, before) };
  const { tasks } = options;
  if (tasks !== undefined && !(Number.isSafeInteger(tasks) && tasks > 0)) {
    throw new InvalidInputError(`${tasks} tasks; a plan has at least 1`);
  }
  const { order = before?.union.order ?? "csr" } = options;
  if (before !== null && order !== before.union.order) {
    throw new InvalidInputError(`the union is ${before.union.order}, and cannot be added to as ${order}`, {
      source: store.name,
    });
  }
  const taken: TakenElements = {
    main: options.elements.X ?? "X",
    modality: options.modality ?? before?.union.taken?.modality ?? null,
    varKey: before === null ? (options.varKey ?? null) : before.union.varKey,
  };
  const access = getUnionAccess(options);
  const registry = new FeatureRegistry();
  const known = getUnionFeatures(before);
  await readFeatures(store, known.files, registry, access);
  const notes: string[] = [];
  const surveyed: Surveyed[] = [];
  /** Positions of new features, for each input that has new features. */
  const added: { readonly input: number; readonly positions: Int32Array }[] = [];
  for await (const one of survey(inputs, taken, options, notes)) {
    const others = registry.count;
    const positions = registry.add(one.keys, one.input.source);
    if (others > 0 && positions.length > 0 && positions.length === one.shape[1]) {
      notes.push(
        `var: ${one.input.source} has no feature of the datasets before it: its index may have other names, such as identifiers where they have symbols (--var-key)`,
      );
    }
    if (positions.length > 0) added.push({ input: surveyed.length, positions });
    // Keys are dropped to save memory, because the keys of all inputs together can be large.
    surveyed.push({ ...one, keys: [] });
    options.onProgress?.({ element: "plan", done: surveyed.length, total: inputs.length, unit: "files" });
  }
  if (surveyed.length === 0) throw new InvalidInputError("no input is left to make a union of");
  const obs = uniteColumns(await framesOf(surveyed, "obs", before, store, access), "obs", OWN_COLUMNS);
  const vars = uniteColumns(await framesOf(surveyed, "var", before, store, access), "var", OWN_COLUMNS);
  checkKept(obs.columns, before?.union.obs ?? [], "obs");
  checkKept(vars.columns, before?.union.var ?? [], "var");
  const matrices = unitedMatrices(surveyed, before, options);
  const { arrays, notes: ofArrays } = uniteArrays(
    surveyed.map(({ input, arrays }) => ({ source: input.source, arrays })),
    options.elements.obsm?.map((name) => `obsm/${name}`) ?? null,
    before?.union.arrays ?? null,
  );
  notes.push(
    ...obs.notes,
    ...vars.notes,
    ...matrices.notes,
    ...ofArrays,
    ...surveyed.flatMap(({ warnings }) => warnings),
  );
  let nextRow = before?.union.nextRow ?? 0;
  const planned: (PlannedInput & CutInput)[] = surveyed.map((one) => {
    const [rows, features] = one.shape;
    const firstRow = nextRow;
    nextRow += rows;
    const entries = Object.fromEntries(
      matrices.all.flatMap(({ name }) => {
        const found = one.matrices.get(name);
        return found === undefined ? [] : [[name, found.entries]];
      }),
    );
    return { ...one.input, identity: one.identity, rows, features, firstRow, entries, isDivisible: one.isDivisible };
  });
  const sources = added.map(({ input, positions }) => ({ source: surveyed[input].input.source, positions }));
  const files = await writeFeatures(store, sources, { taken, columns: vars.columns, first: known.count }, options);
  const content = {
    annarrow: "union plan",
    version: 1,
    output: store.name,
    base: before?.union.commit ?? 0,
    ...{ varKey: taken.varKey, modality: taken.modality, main: taken.main },
    layers: options.elements.layers === undefined ? null : [...options.elements.layers],
    order,
    matrices: matrices.all,
    arrays: [...arrays],
    obs: [...obs.columns],
    var: [...vars.columns],
    features: { count: registry.count, files: [...known.files, ...files] },
    inputs: planned.map(({ isDivisible: _, ...input }) => input),
    tasks: cutTasks(planned, tasks ?? defaultTasks(planned)),
    notes,
  } satisfies Omit<UnionPlan, "id">;
  const id = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
  return { ...content, id };
}

/** Returns the elements to read. By default, these are the existing union's elements. */
function elementsOf({ elements }: UnionOptions, before: UnionManifest | null): UnionElements {
  const { main, layers } = before?.union.taken ?? { main: undefined, layers: null };
  return { ...elements, X: elements?.X ?? main, layers: elements?.layers ?? layers ?? undefined };
}

function defaultTasks(inputs: readonly PlannedInput[]): number {
  const entries = inputs.flatMap((input) => Object.values(input.entries));
  return Math.max(1, Math.ceil(entries.reduce<number>((sum, count) => sum + (count ?? 0), 0) / TASK_WORK));
}

function checkIds(inputs: readonly UnionSource[], before: UnionManifest | null): void {
  if (inputs.length === 0) throw new InvalidInputError("no input to make a union of");
  const taken = new Map((before?.union.datasets ?? []).map(({ id, source }) => [id, source]));
  for (const { id, source } of inputs) {
    const other = taken.get(id);
    if (other !== undefined) {
      throw new InvalidInputError(
        `the dataset ${JSON.stringify(id)} is there already, from ${other}: give another name (name=file; in programs: ids)`,
        { source },
      );
    }
    taken.set(id, source);
  }
}

/** Opens all inputs, several of them concurrently, and yields their metadata in order. */
async function* survey(
  inputs: readonly UnionSource[],
  taken: TakenElements,
  options: UnionOptions,
  notes: string[],
): AsyncGenerator<Surveyed> {
  const read = (input: UnionSource) => surveyOf(input, taken, options).catch((error: unknown) => ({ input, error }));
  const under: ReturnType<typeof read>[] = [];
  let next = 0;
  while (next < inputs.length || under.length > 0) {
    while (next < inputs.length && under.length < AT_ONCE) under.push(read(inputs[next++]));
    const one = await under.shift();
    if (one === undefined) return;
    if (!("error" in one)) {
      yield one;
      continue;
    }
    options.signal?.throwIfAborted();
    if (!options.skipBroken || !isAnnarrowError(one.error)) {
      await Promise.allSettled(under);
      throw one.error;
    }
    notes.push(`left out: ${one.input.source}: ${one.error.problem}`);
  }
}

async function surveyOf(input: UnionSource, taken: TakenElements, options: UnionOptions): Promise<Surveyed> {
  const opened = await openInput(input.source, taken, options);
  try {
    const names = listMatrixNames(opened.tables).filter((name) => isWanted(name, options));
    const matrices = new Map<string, { type: NumericType; entries: number | null }>();
    for (const name of names) {
      const table = opened.tables.get(name);
      if (table !== undefined)
        matrices.set(name, { type: getNumericValueType(table), entries: countStoredEntries(table) });
    }
    const [identity, keys] = await Promise.all([opened.identity(), opened.keys()]);
    return {
      ...{ input, identity, keys, matrices },
      shape: opened.shape,
      arrays: listObsmArrays(opened.tables),
      obs: await fieldsOf(opened, "obs", options),
      var: await fieldsOf(opened, "var", options),
      isDivisible: names.every((name) => {
        const table = opened.tables.get(name);
        return table !== undefined && hasStoredRows(table);
      }),
      warnings: opened.warnings,
    };
  } finally {
    await opened.close();
  }
}

function isWanted(name: string, { elements }: UnionOptions): boolean {
  if (name === "X" || elements?.layers === undefined) return true;
  return elements.layers.includes(name.slice("layers/".length));
}

async function fieldsOf(input: UnionInput, name: "obs" | "var", options: UnionOptions): Promise<FrameFields> {
  const frame = input[name];
  const columns = listFrameColumns(frame);
  const ordered = columns.filter(({ field }) => field.type.id === "Dictionary" && field.type.ordered);
  const categories = new Map<string, readonly string[]>();
  for (const { field, column } of await readDictionaries(frame, ordered, options.signal)) {
    if (column.dictionary.layout === "variable") categories.set(field.name, toNames(column.dictionary));
  }
  return { source: input.source, fields: columns.map(({ field }) => field), categories };
}

/** Returns the dataframe columns of all inputs, preceded by those of the existing union. */
async function framesOf(
  all: readonly Surveyed[],
  frame: "obs" | "var",
  before: UnionManifest | null,
  store: UnionStore,
  access: UnionAccess,
): Promise<readonly FrameFields[]> {
  const own = all.map((one) => one[frame]);
  if (before === null) return own;
  const files = before.tables.find(({ name }) => name === frame)?.categories ?? {};
  const categories = new Map<string, readonly string[]>();
  for (const { name, type, metadata } of before.union[frame]) {
    if (type.id !== "Dictionary" || !type.ordered || files[name] === undefined) continue;
    categories.set(
      getOriginalName(name, metadata),
      await readTextColumn(`${store.name}/${files[name]}`, "value", access),
    );
  }
  return [{ source: "the union", fields: before.union[frame], categories }, ...own];
}

/**
 * @throws {InvalidInputError} if the type of an existing column would change, since existing files are not rewritten.
 */
function checkKept(columns: readonly FlatField[], before: readonly FlatField[], element: string): void {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  for (const { name, type } of before) {
    const now = types.get(name) ?? type;
    if (describeArrowType(now) === describeArrowType(type)) continue;
    throw new InvalidInputError(
      `column ${JSON.stringify(name)} is ${describeArrowType(type)} in the union, and would become ${describeArrowType(now)}: cast it in the inputs, or make the union anew`,
      { element },
    );
  }
}

function unitedMatrices(all: readonly Surveyed[], before: UnionManifest | null, options: UnionOptions) {
  const types = new Map<string, NumericType[]>();
  for (const { name, type } of before?.union.matrices ?? []) types.set(name, [type]);
  for (const { matrices } of all) {
    for (const [name, { type }] of matrices) {
      const known = types.get(name);
      if (known === undefined) types.set(name, [type]);
      else known.push(type);
    }
  }
  const missing = (options.elements?.layers ?? []).map((name) => `layers/${name}`).find((name) => !types.has(name));
  if (missing !== undefined) throw new InvalidInputError(`no input has the matrix ${missing}`);
  const notes: string[] = [];
  const united = [...types].map(([name, own]) => {
    const type = getCommonNumericType(own);
    const present = before?.union.matrices.find((one) => one.name === name)?.type;
    if (present !== undefined) checkUnchangedType(name, present, type);
    const distinct = new Set(own.map(describeArrowType));
    if (distinct.size > 1)
      notes.push(`${name}: values become ${describeArrowType(type)}, from ${[...distinct].join(" and ")}`);
    const lacking = all.filter(({ matrices }) => !matrices.has(name)).length;
    if (lacking > 0) notes.push(`${name}: ${lacking} of ${all.length} inputs do not have it`);
    return { name, type };
  });
  return { all: united, notes };
}
