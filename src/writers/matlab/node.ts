/** Structs and cells of which each part is a table, or holds others. */

import { InvalidInputError, located } from "../../errors.js";
import { product } from "../../stored.js";
import { lose } from "../lose.js";
import { attributesOf } from "./attributes.js";
import type { Context } from "./context.js";
import { writeCanonicalEmpty, writeEmpty } from "./empty.js";
import { classOf, type Metadata, NONE, sizeOf, textsOf } from "./metadata.js";
import { distinct, isValidName, validName } from "./names.js";
import { fieldPlace, type Place } from "./place.js";
import { pythonArray } from "./python.js";
import { ReferenceList } from "./reference-list.js";
import { cellClass, cellSize, fieldAttributes } from "./stored-value.js";
import { openStruct, writeEmptyStruct } from "./struct.js";
import { type KnownShape, writeTable } from "./table.js";
import { indicesOf, type Node, positionName } from "./tree.js";

/** What was written of which table. */
export interface Report {
  readonly known: KnownShape;
  readonly written: (name: string, rows: number) => void;
}

/** More elements than any cell has of which each is a table. */
const MOST_ELEMENTS = 2 ** 24;

export async function writeNode(place: Place, node: Node, report: Report, cx: Context): Promise<void> {
  cx.signal?.throwIfAborted();
  if (node.table !== null) {
    report.written(node.path, await writeTable(place, node.table, report.known, cx));
    return;
  }
  await located({ element: place.element }, async () => {
    refuseObject(node, cx);
    const size = sizeOf(node.metadata?.size);
    const fields = textsOf(node.metadata?.fields);
    if (isCell(node)) return await writeCell(place, node, size, report, cx);
    if (fields !== null && size !== null && product(size) !== 1) {
      return await writeStructArray(place, node, fields, size, report, cx);
    }
    return await writeStruct(place, node, fields, report, cx);
  });
}

/** @throws {InvalidInputError} for objects, unless their properties may be written without them. */
function refuseObject(node: Node, cx: Context): void {
  const { path, metadata } = node;
  if (metadata === null || sizeOf(metadata.size) === null) return;
  const name = classOf(metadata) ?? "an";
  const isObject = Array.isArray(metadata.objects);
  const isEnumeration = metadata.fields === undefined && metadata.object_decode === 3 && !isCell(node);
  if (!isObject && !isEnumeration) return;
  lose(
    cx,
    path,
    `${name} objects, which are not written yet`,
    "its properties are written, as a struct",
    "leave it out (--table)",
  );
}

function isCell({ metadata, children }: Node): boolean {
  if (children.size === 0 || Array.isArray(metadata?.fields)) return false;
  return [...children.keys()].every((key) => indicesOf(key) !== null);
}

async function writeCell(
  place: Place,
  { children, metadata }: Node,
  known: readonly number[] | null,
  report: Report,
  cx: Context,
): Promise<void> {
  const size = known ?? sizeOfKeys([...children.keys()]);
  const count = product(size);
  if (count > MOST_ELEMENTS) throw new InvalidInputError(`a cell of ${size.join(" x ")} elements`);
  // Windows' own objects are lists of references, too.
  const own = Array.isArray(metadata?.objects) ? NONE : (metadata ?? NONE);
  const value = { class: cellClass(own), ...pythonArray(cx, "object", size) };
  if (count === 0) return await writeEmpty(place, size, own, value);
  const list = new ReferenceList();
  for (let k = 0; k < count; k++) {
    const name = positionName(k, size);
    list.add(await writeElement(children.get(name), `${place.element}/${name}`, report, cx));
  }
  await list.write(place, cellSize(size, own), attributesOf(place, own, value));
}

/** A value that is referred to. @returns the reference. */
async function writeElement(node: Node | undefined, element: string, report: Report, cx: Context): Promise<bigint> {
  if (node === undefined) cx.warn(`${element}: not there; it is written as []`);
  if (node === undefined || node.table?.metadata?.empty === "canonical") {
    if (node !== undefined) report.written(node.path, 0);
    return await cx.references.canonicalEmpty(writeCanonicalEmpty);
  }
  const place = await cx.references.place(element);
  await writeNode(place, node, report, cx);
  return cx.references.to(place);
}

async function writeStructArray(
  place: Place,
  { children, metadata }: Node,
  fields: readonly string[],
  size: readonly number[],
  report: Report,
  cx: Context,
): Promise<void> {
  const count = product(size);
  if (count > MOST_ELEMENTS) throw new InvalidInputError(`a struct array of ${size.join(" x ")} elements`);
  const own = metadata ?? NONE;
  if (count === 0 || fields.length === 0) return await writeEmptyStruct(place, size, fields, own, cx);
  const group = await openStruct(place, fields, own, cx);
  for (const field of fields) {
    const list = new ReferenceList();
    for (let k = 0; k < count; k++) {
      const name = `${positionName(k, size)}/${field}`;
      const node = children.get(positionName(k, size))?.children.get(field);
      list.add(await writeElement(node, `${place.element}/${name}`, report, cx));
    }
    const at = fieldPlace(group, field, place.element);
    await list.write(at, size, fieldAttributes(at, own, field));
  }
}

async function writeStruct(
  place: Place,
  { children, metadata, path }: Node,
  listed: readonly string[] | null,
  report: Report,
  cx: Context,
): Promise<void> {
  const own = withoutObjects(metadata);
  const missing = (listed ?? []).filter((name) => !children.has(name));
  if (missing.length > 0) cx.warn(`${path}: the fields ${missing.slice(0, 8).join(", ")} are not there`);
  const keys = [...(listed ?? []).filter((name) => children.has(name)), ...restOf(children.keys(), listed ?? [])];
  if (keys.length === 0) return await writeEmptyStruct(place, [1, 1], [], own, cx);
  const names = listed === null && metadata === null ? fieldNames(path, keys, cx) : keys;
  const group = await openStruct(place, names, own, cx);
  for (const [i, key] of keys.entries()) {
    const child = children.get(key);
    if (child !== undefined) await writeNode(fieldPlace(group, names[i], place.element), child, report, cx);
  }
}

function restOf(keys: Iterable<string>, listed: readonly string[]): readonly string[] {
  const known = new Set(listed);
  return [...keys].filter((key) => !known.has(key));
}

/**
 * Names that MATLAB takes.
 * @throws {InvalidInputError} for others, unless they may be changed.
 */
export function fieldNames(path: string, keys: readonly string[], cx: Context): readonly string[] {
  if (cx.profile === "hdf5storage") return keys;
  const taken = new Set(keys.filter(isValidName));
  return keys.map((key) => {
    if (isValidName(key)) return key;
    const name = distinct(validName(key), taken);
    const element = path === "" ? key : `${path}/${key}`;
    const problem = `${JSON.stringify(key)} is no name in MATLAB: letters, digits and _, a letter first, at most 63`;
    lose(cx, element, problem, `it is written as ${name}`, "rename it, or write for hdf5storage");
    return name;
  });
}

/** The properties of objects are those of a struct, where losses are allowed. */
function withoutObjects(metadata: Metadata | null): Metadata {
  if (metadata === null) return NONE;
  if (!Array.isArray(metadata.objects) && metadata.object_decode !== 3) return metadata;
  return { class: "struct" };
}

function sizeOfKeys(keys: readonly string[]): readonly number[] {
  const all = keys.map((key) => indicesOf(key) ?? []);
  const rank = Math.max(...all.map((indices) => indices.length));
  if (rank === 1) return [1, Math.max(...all.map(([index]) => index))];
  return Array.from({ length: rank }, (_, d) => Math.max(...all.map((indices) => indices[d] ?? 1)));
}
