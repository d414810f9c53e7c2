/** Reads stored nodes as values with all their parts. Numbers are opened as datasets, but not read. */

import type { AttributeValue, Group, Node, Reference, StoredArray } from "../../../containers/tree/container.js";
import { findRepeatedName } from "../../../kernels/text/names.js";
import { InvalidDataError, isAnnarrowError, runWithLocation } from "../../../model/errors.js";
import { isJsonObject, parseJsonObject } from "../../../model/json-object.js";
import { countElements } from "../../../model/stored.js";
import { mapConcurrently } from "../../concurrency.js";
import { listChildNames, openChild } from "../../reader.js";
import { getAttributeMetadata, getMatlabClass, getMatlabInteger, getMatlabText } from "./attributes.js";
import { emptyChars, getCharsInMemory, readCharValue } from "./chars.js";
import type { MatlabContext, ValueScope } from "./context.js";
import { ENUMERATION_TAG, readEnumerationValue } from "./enumeration.js";
import { readArrayNumbers, readFixedValues } from "./memory-array.js";
import { findNumericType, getNumericInMemory, readNumericValue } from "./numeric.js";
import { isOctave, readOctaveValue } from "./octave.js";
import { openSparseValue } from "./sparse.js";
import type { ObjectValue, RawValue, StructValue, Value } from "./value.js";

/** The value of `MATLAB_object_decode` for objects in `#subsystem#`, and for Java and COM objects. */
export const OPAQUE = 3;

/** Reads the value of a node. A part that cannot be read becomes a failed value. @throws if the node fails. */
async function readValue(node: Node, scope: ValueScope, cx: MatlabContext): Promise<Value> {
  if (scope.ancestors.includes(node.id)) throw new InvalidDataError("it contains itself", { element: node.path });
  const holds = node.kind === "group" || node.type.kind === "reference";
  cx.limits.enter(holds ? node.id : null, scope);
  return node.kind === "group" ? await readGroup(node, scope, cx) : await readDataset(node, scope, cx);
}

/** Reads a node like `readValue`, but a failure becomes a failed value. */
export async function readValueOrFailure(
  open: () => Promise<Node>,
  scope: ValueScope,
  cx: MatlabContext,
): Promise<Value> {
  try {
    return await runWithLocation({}, async () => readValue(await open(), scope, cx));
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { kind: "failed", class: "", size: [], metadata: {}, error };
  }
}

function readMembers(
  group: Group,
  names: readonly string[],
  scope: ValueScope,
  cx: MatlabContext,
): Promise<readonly Value[]> {
  const below = { ...scope, ancestors: [...scope.ancestors, group.id] };
  return mapConcurrently(names, (name) => readValueOrFailure(() => openChild(group, name, cx), below, cx));
}

/** Maximum number of references in a cell. Real cells have fewer. */
const MAX_REFERENCES = 2 ** 24;

/** Reads the targets of the references in a dataset, in stored order, which is column-major. */
async function readReferences(dataset: StoredArray, scope: ValueScope, cx: MatlabContext): Promise<readonly Value[]> {
  cx.walkLimit.countReferences(countElements(dataset.shape ?? []));
  const { values } = await cx.concurrency.run(() => readFixedValues(dataset, MAX_REFERENCES));
  const below = { ...scope, ancestors: [...scope.ancestors, dataset.id] };
  const addresses = BigUint64Array.from(values, (value: number | bigint) => BigInt(value));
  const bytes = new Uint8Array(addresses.buffer);
  const items: Value[] = new Array(addresses.length);
  await mapConcurrently(inFileOrder(addresses), (i) => {
    const reference: Reference = { kind: "reference", bytes: bytes.subarray(8 * i, 8 * i + 8) };
    const held = valueInMemory(reference, below, cx);
    if (held === null) return followed(reference, i);
    items[i] = held;
    return cx.walkLimit.pause() ?? undefined;
  });
  async function followed(reference: Reference, i: number): Promise<void> {
    items[i] = await readValueOrFailure(() => follow(reference, cx), below, cx);
  }
  return items;
}

/**
 * Sorts the indices of addresses by address, so that targets that are close together in the file are read together.
 */
function inFileOrder(addresses: BigUint64Array): readonly number[] {
  const places = Float64Array.from(addresses, Number);
  const order: number[] = [];
  let isSorted = true;
  for (let i = 0; i < places.length; i++) {
    order.push(i);
    if (i > 0 && places[i] < places[i - 1]) isSorted = false;
  }
  return isSorted ? order : order.sort((a, b) => places[a] - places[b]);
}

function follow(reference: Reference, cx: MatlabContext): Promise<Node> {
  return cx.concurrency.run(() => cx.container.dereference(reference));
}

/**
 * Creates a value from numbers or text in memory, which is the usual case for references. Returns null for other
 * values, and for failures. In this case, the value is read normally, which fails again and reports the failure.
 */
function valueInMemory(reference: Reference, scope: ValueScope, cx: MatlabContext): Value | null {
  try {
    cx.limits.enter(null, scope);
    const dataset = cx.container.dereferenceInMemory?.(reference) ?? null;
    const name = dataset === null ? null : getMatlabClass(dataset);
    if (dataset === null || name === null || dataset.type.kind === "reference") return null;
    if (scope.inObject || dataset.attributes.has("MATLAB_empty") || dataset.attributes.has("MATLAB_object_decode")) {
      return null;
    }
    if (name === "char") return dataset.type.kind === "int" ? getCharsInMemory(dataset, cx) : null;
    return findNumericType(name) === null ? null : getNumericInMemory(name, dataset);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return null;
  }
}

async function readDataset(dataset: StoredArray, scope: ValueScope, cx: MatlabContext): Promise<Value> {
  const name = getMatlabClass(dataset);
  const decode = getMatlabInteger(dataset, "MATLAB_object_decode") ?? 0;
  const size = [...(dataset.shape ?? [])].reverse();
  const metadata = getAttributeMetadata(dataset);
  if ((getMatlabInteger(dataset, "MATLAB_empty") ?? 0) !== 0) return await readEmpty(dataset, name ?? "", cx);
  if (dataset.type.kind === "reference") {
    const items = await readReferences(dataset, scope, cx);
    if (name !== null) return { kind: "cell", class: name, size, metadata, items, node: dataset };
    // This allows a writer to distinguish these references from MATLAB's cells.
    return {
      kind: "cell",
      class: "cell",
      size: dataset.shape ?? [],
      metadata: { ...metadata, unclassed: true },
      items,
      node: dataset,
    };
  }
  if (name === null) {
    const python = pythonType(metadata);
    return { kind: "plain", class: python ?? "", size: dataset.shape ?? [], metadata, array: dataset };
  }
  if (decode === OPAQUE || (scope.inObject && (await isObjectVector(dataset)))) {
    return await objectValue(dataset, name, scope, cx);
  }
  // Python stores bytes as class char.
  if (name === "char" && (dataset.type.kind === "text" || dataset.type.kind === "bytes")) {
    return { kind: "plain", class: name, size, metadata, array: dataset };
  }
  if (name === "char") return await readCharValue(dataset, cx);
  if (findNumericType(name) !== null) return await readNumericValue(name, dataset);
  return { kind: "raw", class: name, size, metadata, array: dataset, reason: `class ${name} is not known` };
}

/** Returns the Python type that `hdf5storage` recorded. */
function pythonType(metadata: Readonly<Record<string, unknown>>): string | null {
  const { python } = metadata;
  if (typeof python !== "object" || python === null || !("Python.Type" in python)) return null;
  return typeof python["Python.Type"] === "string" ? python["Python.Type"] : null;
}

/** Maximum number of elements in an array of empty structs. */
const MAX_EMPTY = 2 ** 31 - 1;

/** Reads an empty array. A dataset with the attribute MATLAB_empty contains the array's size, rows first. */
async function readEmpty(dataset: StoredArray, stored: string, cx: MatlabContext): Promise<Value> {
  const size = await cx.concurrency.run(() => readArrayNumbers(dataset, 64));
  const isStruct = findNumericType(stored) === null && !["char", "cell", "canonical empty"].includes(stored);
  const wrong = size.find((one) => !Number.isSafeInteger(one) || one < 0);
  if (size.length < 2 || wrong !== undefined || (!size.includes(0) && !isStruct)) {
    throw new InvalidDataError(`MATLAB_empty with the size ${size.join(" x ")}`, { element: dataset.path });
  }
  const canonical = stored === "canonical empty";
  const name = canonical ? "double" : stored;
  const metadata = { ...getAttributeMetadata(dataset), empty: canonical ? "canonical" : true };
  const type = findNumericType(name);
  if (type !== null) return { kind: "numeric", class: name, size, metadata, type, dataset: null };
  if (name === "char") return emptyChars(dataset.path, size, metadata);
  if (name === "cell") return { kind: "cell", class: name, size, metadata, items: [] };
  const fields = (await readFieldNames(dataset, cx)) ?? [];
  const elements = countElements(size);
  if (elements > MAX_EMPTY || (fields.length > 0 && elements > 0)) {
    throw new InvalidDataError(`MATLAB_empty with ${elements} elements`, { element: dataset.path });
  }
  return { kind: "struct", class: name, size, metadata, fields, columns: fields.map(() => []) };
}

async function readGroup(group: Group, scope: ValueScope, cx: MatlabContext): Promise<Value> {
  if (isOctave(group)) return await readOctaveValue(group, scope, cx, readValueOrFailure);
  if (group.attributes.has("MATLAB_sparse")) return await openSparseValue(group, cx);
  const keys = await listChildNames(group, cx);
  if (keys.includes(ENUMERATION_TAG)) {
    const names = keys.filter((key) => key !== ENUMERATION_TAG);
    const values = await readMembers(group, names, { ...scope, inObject: true }, cx);
    return await readEnumerationValue(group, new Map(names.map((name, i) => [name, values[i]])), cx);
  }
  const listed = await readFieldNames(group, cx);
  const fields = sortFields(keys, listed, group.path, cx);
  const name = getMatlabClass(group);
  if (listed === null && name !== null && keys.length > 1) {
    cx.warn(`${group.path}: no MATLAB_fields; the fields are in the order of their names`);
  }
  // MATLAB does not write MATLAB_fields for a struct with one field.
  const isListed = listed !== null;
  const own = parseAnnarrowDescription(group, fields);
  const metadata = {
    ...getAttributeMetadata(group),
    ...own.metadata,
    ...(isListed === fields.length > 1 ? {} : { fieldsListed: isListed }),
  };
  const array = name === null || fields.length === 0 ? null : await structArray(group, fields, scope, cx);
  if (array !== null) {
    const { fieldMetadata, ...parts } = array;
    const more = Object.keys(fieldMetadata).length === 0 ? {} : { fieldMetadata };
    return { kind: "struct", class: name ?? "", metadata: { ...metadata, ...more }, fields, ...parts, node: group };
  }
  const values = await readMembers(group, fields, scope, cx);
  const columns = values.map((value) => [value]);
  return { kind: "struct", class: name ?? "", size: [1, 1], metadata, fields: own.fields, columns };
}

interface StructArray extends Pick<StructValue, "size" | "columns"> {
  readonly fieldMetadata: Readonly<Record<string, unknown>>;
}

/**
 * Reads a struct array. It has a dataset of references without a class for each field. Returns null for a single
 * struct.
 */
async function structArray(
  group: Group,
  fields: readonly string[],
  scope: ValueScope,
  cx: MatlabContext,
): Promise<StructArray | null> {
  const first = await memberOrNull(group, fields[0], cx);
  if (first === null || !isBare(first)) return null;
  const members = await mapConcurrently(fields, (name) => memberOrNull(group, name, cx));
  const datasets = members.filter((member): member is StoredArray => member !== null && isBare(member));
  if (datasets.length < fields.length) return null;
  const { shape } = first;
  for (const [i, dataset] of datasets.entries()) {
    if (String(dataset.shape) === String(shape)) continue;
    throw new InvalidDataError(
      `field ${fields[i]} of a struct array has shape ${dataset.shape?.join(" x ")}, ${fields[0]} has ${shape?.join(" x ")}`,
    );
  }
  const below = { ...scope, ancestors: [...scope.ancestors, group.id] };
  const columns: (readonly Value[])[] = [];
  for (const dataset of datasets) columns.push(await readReferences(dataset, below, cx));
  const said = datasets.map((dataset, i) => [fields[i], getAttributeMetadata(dataset)] as const);
  const fieldMetadata = Object.fromEntries(said.filter(([, one]) => Object.keys(one).length > 0));
  return { size: [...(shape ?? [])].reverse(), columns, fieldMetadata };
}

async function memberOrNull(group: Group, name: string, cx: MatlabContext): Promise<Node | null> {
  try {
    return await openChild(group, name, cx);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    // The failure is reported when the field itself is read.
    return null;
  }
}

function isBare(node: Node): node is StoredArray {
  return node.kind === "array" && node.type.kind === "reference" && !node.attributes.has("MATLAB_class");
}

const MAGIC = 0xdd000000;

/** Maximum number of words in a variable that contains objects. Real variables have fewer. */
const MAX_WORDS = 2 ** 22;

/** Whether an unmarked dataset contains object numbers, as datasets inside other objects do. */
async function isObjectVector(dataset: StoredArray): Promise<boolean> {
  const shape = dataset.shape ?? [];
  if (!isWords(dataset) || countElements(shape) <= 3) return false;
  // The file can declare a first row of any length.
  if (countElements(shape.slice(1)) > MAX_WORDS) return false;
  const read = await dataset.read(0, 1);
  return read.kind === "fixed" && read.values[0] === MAGIC;
}

function isWords({ type, shape }: StoredArray): boolean {
  return type.kind === "int" && type.bits === 32 && !type.signed && (shape?.length ?? 0) >= 1;
}

/**
 * Reads objects: `[0xDD000000, ndims, dims…, object ids…, class id]`. If a value cannot be decoded, its stored numbers
 * are returned, with the reason.
 */
async function objectValue(dataset: StoredArray, name: string, scope: ValueScope, cx: MatlabContext): Promise<Value> {
  const size = [...(dataset.shape ?? [])].reverse();
  const raw = (reason: string): RawValue => {
    return {
      kind: "raw",
      class: name,
      size,
      metadata: getAttributeMetadata(dataset),
      array: dataset,
      reason,
      node: dataset,
    };
  };
  if (!(await isObjectVector(dataset))) return raw("its form is not the form of MATLAB's objects");
  if (cx.store === null) return raw("the file has no object store that could be read");
  try {
    return await decoded(dataset, scope, cx, cx.store);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return raw(error.problem);
  }
}

async function decoded(
  dataset: StoredArray,
  scope: ValueScope,
  cx: MatlabContext,
  store: NonNullable<MatlabContext["store"]>,
): Promise<ObjectValue> {
  const words = await readArrayNumbers(dataset, MAX_WORDS);
  const [, rank] = words;
  if (rank > words.length - 3) throw new InvalidDataError(`${rank} dimensions in ${words.length} words`);
  const size = words.slice(2, 2 + rank);
  const count = countElements(size);
  if (count > words.length - 3 - rank) {
    throw new InvalidDataError(`${size.join(" x ")} objects in ${words.length} words`);
  }
  const ids = words.slice(2 + rank, 2 + rank + count);
  const name = store.className(words[words.length - 1]);
  const objects: ReadonlyMap<string, Value>[] = [];
  for (const id of ids) objects.push(await store.properties(id, scope.ancestors, cx));
  const metadata = { ...getAttributeMetadata(dataset), objects: ids };
  return { kind: "object", class: name, size, metadata, objects, node: dataset };
}

// Reads the order of a struct's fields, which HDF5 sorts by name, and the original names that annarrow had to change
// for MATLAB.

/** Maximum number of fields in a struct. Real structs have fewer. */
const MAX_FIELDS = 1_000_000;

/**
 * Reads the names in `MATLAB_fields`. They are in the attribute itself, or in a dataset to which it refers if they are
 * long.
 * @returns null if the attribute is absent.
 * @throws {InvalidDataError} if it does not contain distinct names.
 */
async function readFieldNames(node: Node, cx: MatlabContext): Promise<readonly string[] | null> {
  const stored = node.attributes.get("MATLAB_fields");
  const value = Array.isArray(stored) && stored.length === 1 && isReference(stored[0]) ? stored[0] : stored;
  if (value === undefined || value === null) return null;
  const names = isReference(value) ? await referredNames(value, cx) : attributeNames(value);
  const twice = findRepeatedName(names);
  if (twice !== null) throw new InvalidDataError(`MATLAB_fields lists ${JSON.stringify(twice)} twice`);
  return names;
}

function isReference(value: AttributeValue | undefined): value is Extract<AttributeValue, { kind: "reference" }> {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

/** Reads a list of texts. Each text may itself be a list of characters. */
function attributeNames(value: AttributeValue): readonly string[] {
  if (typeof value === "object" && value !== null && "kind" in value && value.kind === "unreadable") {
    throw new InvalidDataError(`MATLAB_fields: ${String(value.reason)}`);
  }
  const list = Array.isArray(value) ? value : [value];
  return list.map((one: AttributeValue) => {
    const name = Array.isArray(one) ? one.join("") : one;
    if (typeof name === "string") return name;
    throw new InvalidDataError("MATLAB_fields holds something else than names");
  });
}

async function referredNames(
  reference: Extract<AttributeValue, { kind: "reference" }>,
  cx: MatlabContext,
): Promise<readonly string[]> {
  const node = await cx.concurrency.run(() => cx.container.dereference(reference));
  if (node.kind !== "array" || node.type.kind !== "text" || node.shape === null) {
    throw new InvalidDataError("MATLAB_fields refers to something else than names");
  }
  const count = countElements(node.shape);
  if (count > MAX_FIELDS) throw new InvalidDataError(`MATLAB_fields has ${count} names`);
  const values = await cx.concurrency.run(() => node.read(0, node.shape?.[0] ?? 1, cx.options));
  if (values.kind !== "variable") throw new TypeError("text has values of variable width");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])),
  );
}

/** Orders `keys` as in `listed`, followed by all other keys. It warns about listed names that are missing. */
function sortFields(
  keys: readonly string[],
  listed: readonly string[] | null,
  path: string,
  cx: MatlabContext,
): readonly string[] {
  if (listed === null) return keys;
  const there = new Set(keys);
  const missing = listed.filter((name) => !there.has(name));
  if (missing.length > 0) {
    cx.warn(`${path}: MATLAB_fields lists ${missing.slice(0, 8).join(", ")}, which the struct does not have`);
  }
  const named = new Set(listed);
  return [...listed.filter((name) => there.has(name)), ...keys.filter((key) => !named.has(key))];
}

interface AnnarrowDescription {
  /** The names of the fields. Changed names are replaced by the original names. */
  readonly fields: readonly string[];
  /**
   * `annarrow`: the JSON of a table; `names`: names in the file, keyed by original name; `mapping`: the kind of
   * mapping.
   */
  readonly metadata: Readonly<Record<string, unknown>>;
}

function parseAnnarrowDescription(group: Group, fields: readonly string[]): AnnarrowDescription {
  const text = getMatlabText(group, "annarrow");
  if (text === null) return { fields, metadata: {} };
  const json = parseJsonObject(text);
  // The code that reads the table warns about text that is not JSON.
  if (json === null || "fields" in json) return { fields, metadata: { annarrow: text } };
  const { names, mapping } = json;
  const renamed = isJsonObject(names) ? fields.map((field) => originalName(names[field]) ?? field) : fields;
  const isDistinct = new Set(renamed).size === renamed.length;
  const own = isDistinct ? renamed : fields;
  const stored = own.flatMap((name, i) => (name === fields[i] ? [] : [[name, fields[i]] as const]));
  return {
    fields: own,
    metadata: {
      ...(stored.length === 0 ? {} : { names: Object.fromEntries(stored) }),
      ...(mapping === "anndata" || mapping === "raw" ? { mapping } : {}),
    },
  };
}

/** Returns a name if it can be a segment of a path; null for other values. */
function originalName(name: unknown): string | null {
  return typeof name === "string" && name !== "" && !name.includes("/") ? name : null;
}
