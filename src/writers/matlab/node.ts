/** Writes structs and cells that contain tables or other structs and cells. */

import { runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import { reportLoss } from "../context.js";
import {
  createMatlabAttributes,
  createPythonArray,
  encodeAsciiJson,
  writeCanonicalEmpty,
  writeEmptyValue,
} from "./attributes.js";
import {
  createReferencedDestination,
  type MatlabWriterContext,
  ReferenceList,
  type ValueDestination,
} from "./context.js";
import { findMetadataClass, isObject, type MatlabMetadata, NO_METADATA, parseSize, parseTextList } from "./metadata.js";
import { createFieldAttributes, findCellClass, getCellSize } from "./stored-value.js";
import { openStruct, writeEmptyStruct } from "./struct.js";
import { type KnownShape, writeTable } from "./table.js";
import {
  formatElementIndices,
  isValidName,
  makeDistinctName,
  makeValidName,
  makeValidNames,
  parseElementIndices,
  type ValueNode,
} from "./tree.js";
import { ONLY_AS_READ, REMEDY } from "./written-objects.js";

/** Callbacks of a `VariableWriter`. */
export interface VariableReport {
  readonly known: KnownShape;
  /** Called for each table that has been written. */
  readonly written: (name: string, rows: number) => void;
  /**
   * Copies `node` and returns true if it is an object that is written back in its stored form; otherwise returns false.
   */
  readonly object: (place: ValueDestination, node: ValueNode) => Promise<boolean>;
}

/** Maximum number of elements in a cell of tables; actual cells have fewer. */
const MAX_ELEMENTS = 2 ** 24;

/** Writes variables with all values that they contain. */
export class VariableWriter {
  readonly #report: VariableReport;

  constructor(report: VariableReport) {
    this.#report = report;
  }

  async write(place: ValueDestination, node: ValueNode): Promise<void> {
    const { cx } = place;
    const { known, object, written } = this.#report;
    cx.signal?.throwIfAborted();
    if (await object(place, node)) return this.#reportAll(node);
    if (node.table !== null) {
      const { path: table, table: own } = node;
      written(table, await runWithLocation({ table }, () => writeTable(place, own, known)));
      return;
    }
    await runWithLocation({ element: place.element, table: node.path }, async () => {
      refuseObject(node, cx);
      const size = parseSize(node.metadata?.size);
      const fields = parseTextList(node.metadata?.fields);
      if (isCell(node)) return await this.#cell(place, node, size);
      if (fields !== null && size !== null && countElements(size) !== 1) {
        return await this.#structArray(place, node, fields, size);
      }
      return await this.#struct(place, node, fields);
    });
  }

  /** Reports the tables of a copied object and of all values that it contains. */
  #reportAll(object: ValueNode): void {
    for (const open = [object]; open.length > 0; ) {
      const node = open.pop();
      if (node === undefined) return;
      if (node.table !== null) this.#report.written(node.path, node.table.rows ?? 0);
      for (const child of node.children.values()) open.push(child);
    }
  }

  async #cell(
    place: ValueDestination,
    { children, metadata }: ValueNode,
    known: readonly number[] | null,
  ): Promise<void> {
    const size = known ?? sizeOfKeys([...children.keys()]);
    const count = countElements(size);
    if (count > MAX_ELEMENTS) throw new UnsupportedElementError(`a cell of ${size.join(" x ")} elements`);
    // An array of objects is also a list of references. When it becomes a cell, the objects' metadata are lost.
    const own = Array.isArray(metadata?.objects) ? NO_METADATA : (metadata ?? NO_METADATA);
    const value = { class: findCellClass(own), ...createPythonArray(place.cx, "object", size) };
    if (count === 0) return await writeEmptyValue(place, size, own, value);
    const list = new ReferenceList();
    for (let k = 0; k < count; k++) {
      const name = formatElementIndices(k, size);
      list.add(await this.#element(place.cx, children.get(name), `${place.element}/${name}`));
    }
    await list.write(place, getCellSize(size, own), createMatlabAttributes(place, own, value));
  }

  /** Writes a referenced value. @returns the reference. */
  async #element(cx: MatlabWriterContext, node: ValueNode | undefined, element: string): Promise<bigint> {
    if (node === undefined) cx.warn(`${element}: not there; it is written as []`);
    if (node === undefined || node.table?.metadata?.empty === "canonical") {
      if (node !== undefined) this.#report.written(node.path, 0);
      return await cx.references.canonicalEmpty(cx, writeCanonicalEmpty);
    }
    const place = await createReferencedDestination(cx, element);
    await this.write(place, node);
    return cx.references.to(place);
  }

  async #structArray(
    place: ValueDestination,
    { children, metadata }: ValueNode,
    fields: readonly string[],
    size: readonly number[],
  ): Promise<void> {
    const count = countElements(size);
    if (count > MAX_ELEMENTS) throw new UnsupportedElementError(`a struct array of ${size.join(" x ")} elements`);
    const own = metadata ?? NO_METADATA;
    if (count === 0 || fields.length === 0) return await writeEmptyStruct(place, size, fields, own);
    const struct = await openStruct(place, fields, own);
    for (const field of fields) {
      const list = new ReferenceList();
      for (let k = 0; k < count; k++) {
        const name = `${formatElementIndices(k, size)}/${field}`;
        const node = children.get(formatElementIndices(k, size))?.children.get(field);
        list.add(await this.#element(place.cx, node, `${place.element}/${name}`));
      }
      const at = struct.field(field);
      await list.write(at, size, createFieldAttributes(at, own, field));
    }
  }

  async #struct(
    place: ValueDestination,
    { children, metadata, path, mapping }: ValueNode,
    listed: readonly string[] | null,
  ): Promise<void> {
    const { cx } = place;
    const own = withoutObjects(metadata);
    const missing = (listed ?? []).filter((name) => !children.has(name));
    if (missing.length > 0) cx.warn(`${path}: the fields ${missing.slice(0, 8).join(", ")} are not there`);
    const keys = [...(listed ?? []).filter((name) => children.has(name)), ...restOf(children.keys(), listed ?? [])];
    if (keys.length === 0) return await writeEmptyStruct(place, [1, 1], [], own);
    const names = storedNames(keys, metadata, cx);
    const struct = await openStruct(place, names, own, structDescription(keys, names, mapping ?? own.mapping));
    for (const [i, key] of keys.entries()) {
      const child = children.get(key);
      if (child !== undefined) await this.write(struct.field(names[i]), child);
    }
  }
}

/**
 * Rejects objects.
 * @throws {InvalidInputError} unless losses are allowed and the objects' properties may be written without the objects.
 */
function refuseObject(node: ValueNode, cx: MatlabWriterContext): void {
  const { path, metadata } = node;
  if (metadata === null || parseSize(metadata.size) === null) return;
  const name = findMetadataClass(metadata) ?? "an";
  const isObject = Array.isArray(metadata.objects);
  const isEnumeration = metadata.fields === undefined && metadata.object_decode === 3 && !isCell(node);
  if (!isObject && !isEnumeration) return;
  reportLoss(cx, path, {
    problem: `${name} objects, ${ONLY_AS_READ}`,
    instead: "its properties are written, as a struct",
    remedy: REMEDY,
  });
}

function isCell({ metadata, children }: ValueNode): boolean {
  if (children.size === 0 || Array.isArray(metadata?.fields)) return false;
  return [...children.keys()].every((key) => parseElementIndices(key) !== null);
}

/** Returns field names: the original names if the values were read from a file, otherwise names that MATLAB allows. */
function storedNames(
  keys: readonly string[],
  metadata: MatlabMetadata | null,
  cx: MatlabWriterContext,
): readonly string[] {
  if (metadata === null) return cx.profile === "hdf5storage" ? keys : makeValidNames(keys);
  const { names } = metadata;
  if (!isObject(names)) return keys;
  return keys.map((key) => (typeof names[key] === "string" ? names[key] : key));
}

/**
 * Describes what MATLAB does not store about a struct: names that MATLAB does not allow, and the encoding of a mapping
 * if it has its own.
 */
function structDescription(keys: readonly string[], stored: readonly string[], mapping: unknown) {
  const changed = keys.flatMap((key, i) => (key === stored[i] ? [] : [[stored[i], key] as const]));
  const hasMapping = typeof mapping === "string";
  if (changed.length === 0 && !hasMapping) return {};
  const names = changed.length === 0 ? undefined : Object.fromEntries(changed);
  return { annarrow: encodeAsciiJson({ version: 1, names, mapping: hasMapping ? mapping : undefined }) };
}

function restOf(keys: Iterable<string>, listed: readonly string[]): readonly string[] {
  const known = new Set(listed);
  return [...keys].filter((key) => !known.has(key));
}

/**
 * Converts names to valid variable names.
 * @throws {InvalidInputError} for invalid names, unless losses are allowed.
 */
export function toVariableNames(keys: readonly string[], cx: MatlabWriterContext): readonly string[] {
  if (cx.profile === "hdf5storage") return keys;
  const taken = new Set(keys.filter(isValidName));
  return keys.map((key) => {
    if (isValidName(key)) return key;
    const name = makeDistinctName(makeValidName(key), taken);
    const problem = `${JSON.stringify(key)} is no name in MATLAB: letters, digits and _, a letter first, at most 63`;
    reportLoss(cx, key, {
      problem,
      instead: `it is written as ${name}`,
      remedy: "rename it, or write for hdf5storage",
    });
    return name;
  });
}

/** Converts the metadata of an object's properties to a struct's metadata, if losses are allowed. */
function withoutObjects(metadata: MatlabMetadata | null): MatlabMetadata {
  if (metadata === null) return NO_METADATA;
  if (!Array.isArray(metadata.objects) && metadata.object_decode !== 3) return metadata;
  return { class: "struct" };
}

function sizeOfKeys(keys: readonly string[]): readonly number[] {
  const all = keys.map((key) => parseElementIndices(key) ?? []);
  const rank = all.reduce((most, indices) => Math.max(most, indices.length), 0);
  const size = Array.from({ length: rank }, (_, d) =>
    all.reduce((most, indices) => Math.max(most, indices[d] ?? 1), 1),
  );
  return rank === 1 ? [1, ...size] : size;
}
