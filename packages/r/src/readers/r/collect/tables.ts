/** Collects the tables made from R values by name, and the failures of values that have no tabular form. */

import { InvalidDataError, isAnnarrowError, UnsupportedError } from "annarrow";
import { toRowRanges } from "annarrow/core/containers";
import { createTablePlan, type MappingNode, pickColumnPart, type TablePlan } from "annarrow/core/jobs";
import { createDerivedPlan, createMappingNode, createNullTable, FoundElements } from "annarrow/core/readers";
import { getElementAxes, getRowAxis } from "annarrow/core/tables";
import type { DatasetPlans, TableElement } from "annarrow/format";
import { countTextStrings } from "../../../containers/rds/model/text.js";
import {
  type RCharacter,
  type REnvironment,
  type RList,
  type RValue,
  readIntoMemory,
} from "../../../containers/rds/model/value.js";
import { createColumnTable, isMatrix, type MatrixContext } from "../matrices/forms.js";
import { openRMatrix } from "../matrices/matrix.js";
import { isEmpty } from "../values/empty.js";
import { createRCharacter, createRFrameTable, findRFrame, isFrame, type RFrame, toRFrame } from "../values/frame.js";
import { isCompressedList } from "../values/lists.js";
import { findSequencesFrame, isRanges, toFullRangesFrame } from "../values/ranges.js";
import { findEnvironment, getFields } from "../values/references.js";
import { createMoleculesFrame, findSpatialParts, isMolecules } from "../values/spatial.js";
import {
  getOrigins,
  getRAttributes,
  getRList,
  getRSlot,
  hasClass,
  hasSlots,
  listNamedElements,
  listRTexts,
} from "../values/value.js";
import { findExtraColumns, type NamedSlot } from "./extra-column-values.js";
import { findOwnSlots, findSlotsBeside } from "./extra-slots.js";
import { besideDimensions, namesOfOne } from "./names-beside.js";

/** Deepest nesting of lists. */
const MAX_DEPTH = 128;

export class RTables {
  readonly cx: MatrixContext;
  readonly #found = new FoundElements();
  readonly #derived: (readonly [name: string, nodes: readonly MappingNode[]])[] = [];
  /** Names of observations and variables, under the names of their tables. */
  readonly #names = new Map<string, RCharacter>();
  /**
   * Objects of reference classes, each with the name under which it was first found. Several values may be one object.
   */
  readonly #objects = new Map<REnvironment, string>();

  constructor(cx: MatrixContext) {
    this.cx = cx;
  }

  /** Adds a table, or records why there is none. */
  async add(name: string, make: () => TableElement | Promise<TableElement>): Promise<TableElement | null> {
    const element = await this.#found.element(name, async () => make());
    if (element !== null) this.#found.tables.set(this.#freeName(name), element);
    return element;
  }

  /** Returns the name, with a number added if another element already has it. */
  #freeName(name: string): string {
    const { tables } = this.#found;
    let own = name;
    for (let i = 1; tables.has(own); i++) own = `${name}.${i}`;
    if (own !== name) this.warn(`${name}: two parts of the object have this name, so that one is called ${own}`);
    return own;
  }

  /** Records that a value has no table, and the reason. */
  fail(name: string, reason: string): void {
    this.#found.failures.set(name, new UnsupportedError(reason, { element: name }));
  }

  warn(message: string): void {
    this.#found.warnings.push(message);
  }

  /** Returns an unused table name below `place`. Adds a warning if it differs from `name`. */
  freeName(place: string, name: string): string {
    const isTaken = (own: string) =>
      [...this.#found.tables.keys(), ...this.#derived.map(([one]) => one)].some(
        (one) => one === own || one.startsWith(`${own}/`),
      );
    let own = `${place}/${name}`;
    for (let i = 1; isTaken(own); i++) own = `${place}/${name}.${i}`;
    if (own !== `${place}/${name}`) this.warn(`${name} is called ${own}, since the dataset has ${place}/${name}`);
    return own;
  }

  /**
   * Runs an action that may fail. A failure is recorded under `name` and hides nothing else; the result is then null.
   */
  async attempt<T>(name: string, action: () => Promise<T>): Promise<T | null> {
    return await this.#found.element(name, action);
  }

  /**
   * Adds a frame. Each column that has no tabular form is a separate failure.
   * @param rows the positions of the rows that the table contains; null for all.
   */
  async frame(name: string, frame: RFrame, rows: Int32Array | null = null): Promise<TableElement | null> {
    const names = rows === null ? frame.names : pickedNames(frame.names, rows);
    if (names !== null) this.#names.set(name, names);
    return this.add(name, () => {
      const table = this.#frameTable(name, frame);
      return rows === null ? table : withRows(table, rows);
    });
  }

  #frameTable(name: string, frame: RFrame): TableElement {
    return createRFrameTable(name, frame, (column, error) => {
      this.#found.failures.set(`${name}/${column}`, error.locate({ element: `${name}/${column}` }));
    });
  }

  /** Adds a list as a tree with a table of its nodes, if the list has elements. */
  async mapping(name: string, list: RList, depth = 0): Promise<void> {
    if (list.values.length === 0) return;
    const nodes: MappingNode[] = [];
    await this.#children(name, list, nodes, depth);
    this.#derived.push([name, nodes]);
  }

  /** Adds any value, either as one table or as a tree. */
  async value(name: string, value: RValue, depth = 0): Promise<void> {
    if (!isTree(value)) await this.#leaf(name, value, depth);
    else if (this.#isFirst(name, value)) {
      await this.mapping(name, this.#partsOf(name, value), depth);
      await this.beside(name, value, depth);
    }
  }

  /** Whether an object is found for the first time. An object that was found before, as in a cycle, is a failure. */
  #isFirst(name: string, value: RValue): boolean {
    const environment = findEnvironment(value);
    if (environment === null) return true;
    const before = this.#objects.get(environment);
    if (before === undefined) this.#objects.set(environment, name);
    else this.fail(name, `the same object as ${before}`);
    return before === undefined;
  }

  /**
   * Adds what the table of a value cannot hold: slots of an object, such as those of a Bioconductor frame, attributes
   * of a vector, a list or a frame, and attributes of columns. Each becomes an element of its own, such as
   * `<name>.metadata` or `<name>.<column>.label`.
   */
  async beside(name: string, value: RValue, depth = 0): Promise<void> {
    await this.#slots(name, findSlotsBeside(value), depth);
  }

  /**
   * Adds what a frame has besides its table, and what the given columns have besides their values. The other columns
   * are separate elements.
   * @param names the row names of the table.
   */
  async besideFrame(
    name: string,
    value: RValue,
    columns: RFrame["columns"],
    names: RFrame["names"] = findRFrame(value)?.names ?? null,
  ): Promise<void> {
    await this.#slots(name, [...findOwnSlots(value), ...findExtraColumns(columns, names, findSlotsBeside)], 0);
  }

  async #slots(name: string, slots: readonly NamedSlot[], depth: number): Promise<void> {
    for (const [slot, one] of slots) {
      const own = `${name}.${slot.replaceAll("/", "_")}`;
      if (depth >= MAX_DEPTH) this.fail(own, `frames in frames, more than ${MAX_DEPTH} deep`);
      else if (isEmpty(one)) await this.beside(own, one, depth + 1);
      else if (!hasSlots(one, "seqnames", "seqlengths")) await this.value(own, one, depth + 1);
      else {
        const sequences = findSequencesFrame(one);
        if (sequences !== null) await this.frame(own, sequences);
      }
    }
  }

  async #children(path: string, list: RList, nodes: MappingNode[], depth: number): Promise<void> {
    for (const [key, value] of listNamedElements(list)) {
      const own = `${path}/${key}`;
      if (isTree(value)) {
        if (!this.#isFirst(own, value)) continue;
        nodes.push({ path: own, kind: "dict", type: null, shape: null, value: null });
        if (depth < MAX_DEPTH) await this.#children(own, this.#partsOf(own, value), nodes, depth + 1);
        else this.fail(own, `lists in lists, more than ${MAX_DEPTH} deep`);
        await this.beside(own, value, depth);
        continue;
      }
      const element = await this.#leaf(own, value, depth);
      if (element !== null) nodes.push(createMappingNode(own, element));
    }
  }

  /** Returns the parts of a tree. If they contradict each other, records a failure and returns no parts. */
  #partsOf(name: string, value: RValue): RList {
    try {
      return treeOf(value);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      this.#found.failures.set(name, error.locate({ element: name }));
      return { kind: "list", values: [], attributes: new Map() };
    }
  }

  async #leaf(name: string, given: RValue, depth: number): Promise<TableElement | null> {
    const element = await this.add(name, async () => {
      const value = isMatrix(given) ? given : await readIntoMemory(given);
      if (value.kind === "null") return createNullTable({});
      if (isFrame(value)) return asRecords(value, this.#frameTable(name, toRFrame(value)));
      if (isMolecules(value)) return this.#frameTable(name, toRFrame(createMoleculesFrame(getRList(value, name))));
      if (isRanges(value)) return this.#frameTable(name, toFullRangesFrame(value));
      if (isMatrix(value)) return (await openRMatrix(value, name, this.cx)).table(name, "same");
      const scalar = scalarTable(name, value);
      if (scalar !== null) return scalar;
      const names = vectorNames(value);
      if (names === null) return createColumnTable(name, value);
      return this.#frameTable(name, { rows: names.text.encodings.length, names, columns: [["value", unnamed(value)]] });
    });
    await this.#slots(name, besideDimensions(given), depth);
    await this.beside(name, given, depth);
    return element;
  }

  /** Returns the plans of all tables. Elements that do not fit their axes are failures. */
  plans(version: string): DatasetPlans {
    const { tables: elements, failures, warnings } = this.#found;
    for (const warning of warnings) this.cx.reading.warn(warning);
    const tables: TablePlan[] = [];
    for (const [name, element] of elements) {
      try {
        this.#checkAxes(name, element);
        tables.push(this.#plan(name, element));
      } catch (error) {
        if (!isAnnarrowError(error)) throw error;
        failures.set(name, error);
      }
    }
    for (const [name, nodes] of this.#derived) tables.push(createDerivedPlan(name, nodes, this.cx.reading));
    return { version, shape: this.#shape(), tables, failures };
  }

  #shape(): readonly [number, number] | null {
    const [obs, variables] = ["obs", "var"].map((name) => this.#found.tables.get(name)?.rows);
    if (obs !== undefined && variables !== undefined) return [obs, variables];
    const matrix = this.#found.tables.get("matrix")?.shape;
    return matrix?.length === 2 ? [matrix[0], matrix[1]] : null;
  }

  #axes(name: string): readonly (string | null)[] {
    if (name === "matrix") return ["row_names", "col_names"];
    const prefix = /^mod\/[^/]+\//.exec(name)?.[0] ?? "";
    return getElementAxes(name.slice(prefix.length)).map((axis) => (axis === null ? null : prefix + axis));
  }

  #checkAxes(name: string, { shape }: TableElement): void {
    for (const [dimension, axis] of this.#axes(name).entries()) {
      const expected = axis === null ? undefined : this.#found.tables.get(axis)?.rows;
      if (expected === undefined || axis === name || shape[dimension] === expected) continue;
      throw new InvalidDataError(
        `${shape[dimension] ?? "no"} ${dimension === 0 ? "rows" : "columns"}, ${axis} has ${expected}`,
        { element: name },
      );
    }
  }

  #plan(name: string, element: TableElement): TablePlan {
    const [, axis] = this.#axes(name);
    const names = axis === null ? undefined : this.#names.get(axis);
    const columnNames = names === undefined ? null : async () => listRTexts(names.text).map((text) => text ?? "NA");
    return createTablePlan({ ...element, name, axis: getRowAxis(name), text: this.cx.reading.text, columnNames });
  }
}

function pickedNames(names: RCharacter | null, rows: Int32Array): RCharacter | null {
  if (names === null) return null;
  const all = listRTexts(names.text);
  return createRCharacter(Array.from(rows, (row) => all[row]));
}

/** Returns the table of a frame as records if our writer made the frame from records. */
function asRecords(value: RValue, table: TableElement): TableElement {
  if (!getOrigins(value).includes("rec-array") || table.metadata.index !== undefined) return table;
  return { ...table, metadata: { kind: "rec-array", shape: table.shape } };
}

/** A frame with some of its rows. */
function withRows(table: TableElement, rows: Int32Array): TableElement {
  if (table.plan.kind !== "columns") throw new TypeError("the table of a frame has columns");
  const runs = toRowRanges(rows);
  const columns = table.plan.columns.map((column) => pickColumnPart(column, runs, null));
  return { ...table, rows: rows.length, shape: [rows.length], plan: { kind: "columns", columns } };
}

/** Whether a value is a tree of other values: a list, or an object whose slots are not known. */
function isTree(value: RValue): boolean {
  if (isFrame(value) || isRanges(value) || isCompressedList(value)) return false;
  if (isMolecules(value) || hasClass(value, "Rle") || hasClass(value, "POSIXlt")) return false;
  return value.kind === "list" || (value.kind === "s4" && value.slots.size > 0 && !isMatrix(value));
}

/**
 * Returns the parts of a tree: the elements of a list, an object's slots, or the fields of a reference-class object.
 */
function treeOf(value: RValue): RList {
  const places = findSpatialParts(value);
  if (places !== null) return places;
  if (value.kind !== "s4" || value.slots.has("listData")) return getRList(value, "a tree");
  const environment = findEnvironment(value);
  const own = [...value.slots].filter(([, one]) => one !== environment);
  const slots = environment === null ? own : [...getFields(environment), ...own];
  return {
    kind: "list",
    values: slots.map(([, one]) => one),
    attributes: new Map([["names", createRCharacter(slots.map(([name]) => name))]]),
  };
}

/** Returns the names of a vector, an array with one dimension or a Bioconductor list; null if there are none. */
function vectorNames(value: RValue): RCharacter | null {
  if (value.kind === "list") return null;
  const names = isCompressedList(value)
    ? getRSlot(getRSlot(value, "partitioning"), "NAMES")
    : getRAttributes(value).has("dim")
      ? namesOfOne(value)
      : getRAttributes(value).get("names");
  return names?.kind === "character" && countTextStrings(names.text) > 0 ? { ...names, attributes: new Map() } : null;
}

/** Returns a value without its names, which are stored separately. */
function unnamed(value: RValue): RValue {
  if (!("attributes" in value)) return value;
  const attributes = new Map(value.attributes);
  for (const name of ["names", "dim", "dimnames"]) attributes.delete(name);
  return { ...value, attributes };
}

/** Returns a scalar table for a vector with one value and no names, which is R's only scalar. Null for other values. */
function scalarTable(path: string, value: RValue): TableElement | null {
  if (vectorNames(value) !== null || getRAttributes(value).has("dim")) return null;
  const isVector = ["logical", "integer", "real", "complex", "character"].includes(value.kind);
  if (!isVector || hasClass(value, "factor")) return null;
  const table = createColumnTable(path, value);
  if (table.rows !== 1 || table.plan.kind !== "columns") return null;
  const [plan] = table.plan.columns;
  if (plan.kind !== "array") return null;
  const kind = value.kind === "character" ? "string" : "numeric-scalar";
  return {
    ...{ ...table, metadata: { kind, shape: [] }, shape: [] },
    plan: { kind: "columns", columns: [{ kind: "array", array: { ...plan.array, shape: [] } }] },
  };
}
