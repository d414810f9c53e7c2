/** Copies values in their stored form, as datasets and groups of the file from which they were read. */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { AttributeValue, Group, Node, Reference, StoredArray } from "../../containers/tree/container.js";
import type { WrittenAttribute, WrittenAttributes } from "../../containers/tree/container-writer.js";
import type { PassthroughObjects } from "../../containers/tree/passthrough-objects.js";
import { InvalidDataError, isAnnarrowError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import { countElements, type FixedValues, getDecodedSize } from "../../model/stored.js";
import { isAscii } from "./attributes.js";
import {
  createReferencedDestination,
  type MatlabWriterContext,
  openArray,
  openGroup,
  type ValueDestination,
} from "./context.js";
import { createFieldsAttribute } from "./struct.js";

/** Maximum nesting of objects; actual objects are nested less deeply. */
const MAX_DEPTH = 1000;

/** Maximum number of values in a file's objects; actual files have fewer. */
const MAX_NODES = 2 ** 24;

/**
 * Maximum number of repeated visits to groups. Hard links can lead to the same group along several paths: with thirty
 * groups, there can be 2^30 paths to the last one.
 */
const MAX_REPEATED = 10_000;

/** Maximum number of an array's bytes that are held in memory. */
const BAND_BYTES = 2 ** 24;

/** The address of a null reference. */
const NOWHERE = 2n ** 64n - 1n;

export class ObjectCopier {
  readonly #objects: PassthroughObjects;
  readonly #cx: MatlabWriterContext;
  /** References to the copied nodes in the new file, by node id. */
  readonly #references = new Map<string, bigint>();
  readonly #groups = new Set<string>();
  #repeated = 0;
  #count = 0;

  constructor(objects: PassthroughObjects, cx: MatlabWriterContext) {
    this.#objects = objects;
    this.#cx = cx;
  }

  /**
   * Copies the value at `node`, and every value that it references and that has not been copied yet.
   * @throws {InvalidDataError} if the value cannot be read, or if a group contains itself.
   * @throws {UnsupportedError} for values that cannot be written.
   */
  async write(place: ValueDestination, node: Node, depth = 0): Promise<void> {
    const { signal } = this.#cx;
    signal?.throwIfAborted();
    if (depth > MAX_DEPTH) throw new UnsupportedError(`objects nested more than ${MAX_DEPTH} deep`);
    if (++this.#count > MAX_NODES) throw new UnsupportedError(`objects of more than ${MAX_NODES} values`);
    if (node.kind === "group") await this.#group(place, node, depth);
    else await this.#array(place, node, depth);
  }

  async #group(place: ValueDestination, group: Group, depth: number): Promise<void> {
    if (this.#groups.has(group.id) && ++this.#repeated > MAX_REPEATED) {
      throw new InvalidDataError(`links lead to the same groups more than ${MAX_REPEATED} times`);
    }
    this.#groups.add(group.id);
    const out = await openGroup(place, await copyNodeAttributes(place, group, this.#objects));
    this.#note(group, place);
    for (const name of await group.keys(this.#options)) {
      await this.write(out.field(name), await group.open(name, this.#options), depth + 1);
    }
  }

  async #array(place: ValueDestination, node: StoredArray, depth: number): Promise<void> {
    const attributes = await copyNodeAttributes(place, node, this.#objects);
    const row = rowOf(node);
    const { type, shape } = row ?? node;
    const size = getDecodedSize(type);
    const [rows, ...rest] = shape ?? [];
    const sized = rows === undefined ? ([] as const) : ([rows, ...rest] as const);
    const out = await openArray(place, {
      ...{ type, attributes, shape: shape === null ? null : sized },
      leadingOne: row === null ? undefined : true,
      compressed: type.kind === "reference" ? false : undefined,
    });
    this.#note(node, place);
    const band = Math.max(1, Math.floor(BAND_BYTES / Math.max(1, (size ?? 64) * countElements(rest))));
    const count = shape === null ? 0 : (rows ?? 1);
    for (let start = 0; start < count; start += band) {
      this.#cx.signal?.throwIfAborted();
      const end = Math.min(count, start + band);
      const values = await (row ?? node).read(start, end, this.#options);
      const isReference = type.kind === "reference" && values.kind === "fixed";
      const own = isReference ? await this.#moved(values, place, depth) : values;
      await runWithLocation({ element: place.element }, () => out.write(own, end - start));
    }
    await runWithLocation({ element: place.element }, () => out.close());
  }

  /**
   * Records the reference to a node before its content is copied, because values may reference a value that is still
   * being written.
   */
  #note({ id }: Node, place: ValueDestination): void {
    if (!this.#references.has(id)) this.#references.set(id, place.cx.references.to(place));
  }

  /** Converts references to nodes into references to their copies in the new file. */
  async #moved({ values }: FixedValues, place: ValueDestination, depth: number): Promise<FixedValues> {
    const moved = new BigUint64Array(values.length);
    for (let i = 0; i < moved.length; i++) {
      const address = BigInt(values[i]);
      moved[i] = address === 0n || address === NOWHERE ? address : await this.#reference(address, place, depth);
    }
    return { kind: "fixed", values: moved };
  }

  async #reference(address: bigint, { cx, element }: ValueDestination, depth: number): Promise<bigint> {
    const bytes = new Uint8Array(new BigUint64Array([address]).buffer);
    const node = await this.#objects.container.dereference({ kind: "reference", bytes });
    const known = this.#references.get(node.id);
    if (known !== undefined) return known;
    const place = await createReferencedDestination(cx, element);
    await this.write(place, node, depth + 1);
    return cx.references.to(place);
  }

  get #options() {
    return { signal: this.#cx.signal };
  }
}

/** Returns the array if it is a long row, which can be read in parts; null for small arrays and other shapes. */
function rowOf(node: StoredArray): StoredArray | null {
  const { shape, type } = node;
  const size = getDecodedSize(type);
  if (shape?.length !== 2 || shape[0] !== 1 || size === null || shape[1] * size <= BAND_BYTES) return null;
  try {
    return node.capabilities?.view?.({ form: "flat", bool: false }) ?? null;
  } catch (error) {
    if (isAnnarrowError(error, "UnsupportedError")) return null;
    throw error;
  }
}

/** Maximum number of fields in a struct; actual structs have fewer. */
const MAX_FIELDS = 1_000_000;

const [LEAST_INT32, MOST_INT32] = [-(2 ** 31), 2 ** 31 - 1];

/**
 * Copies a node's attributes.
 * @throws {InvalidDataError} if field names cannot be read.
 */
async function copyNodeAttributes(
  place: ValueDestination,
  { attributes }: Node,
  objects: PassthroughObjects,
): Promise<WrittenAttributes> {
  const out = new Map<string, WrittenAttribute>();
  for (const [name, value] of attributes) {
    const isPath = name === "H5PATH" && place.h5path !== null;
    const written =
      name === "MATLAB_fields"
        ? await createFieldsAttribute(await fieldNames(value, objects), place)
        : writtenAttribute(name, isPath ? place.h5path : value);
    if (written !== null) out.set(name, written);
    else place.cx.warn(`${place.element}: the attribute ${name} has a type that is not written; it is left out`);
  }
  return out;
}

/** Converts an attribute; returns null for types that neither MATLAB nor hdf5storage uses for attributes. */
function writtenAttribute(name: string, value: AttributeValue): WrittenAttribute | null {
  if (Array.isArray(value)) {
    const list: readonly AttributeValue[] = value;
    if (list.length === 1 && name !== "Python.Shape") return writtenAttribute(name, list[0]);
    if (list.every((one) => typeof one === "string")) {
      const type = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
      return { type, shape: [list.length], values: encodeStoredTexts(list) };
    }
    const numbers = list.filter((one) => isInteger(one));
    if (numbers.length < list.length) return null;
    const values = BigUint64Array.from(numbers, BigInt);
    return { type: { kind: "int", bits: 64, signed: false }, shape: [list.length], values: { kind: "fixed", values } };
  }
  if (typeof value === "string") return textAttribute(value, name.startsWith("Python.") ? "nullpad" : "nullterm");
  if (typeof value === "boolean") return integerAttribute(name, value ? 1 : 0);
  if (isInteger(value)) return integerAttribute(name, value);
  if (typeof value !== "number") return null;
  return { type: { kind: "float", bits: 64 }, shape: [], values: { kind: "fixed", values: Float64Array.of(value) } };
}

function isInteger(value: AttributeValue): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

function integerAttribute(name: string, value: number | bigint): WrittenAttribute {
  if (name === "MATLAB_empty" && (value === 0 || value === 1)) {
    const values = Uint8Array.of(value);
    return { type: { kind: "int", bits: 8, signed: false }, shape: [], values: { kind: "fixed", values } };
  }
  if (name !== "MATLAB_sparse" && typeof value === "number" && LEAST_INT32 <= value && value <= MOST_INT32) {
    const values = Int32Array.of(value);
    return { type: { kind: "int", bits: 32, signed: true }, shape: [], values: { kind: "fixed", values } };
  }
  const wide = BigInt(value);
  const signed = wide < 0n;
  const values = signed ? BigInt64Array.of(wide) : BigUint64Array.of(wide);
  return { type: { kind: "int", bits: 64, signed }, shape: [], values: { kind: "fixed", values } };
}

function textAttribute(text: string, padding: "nullterm" | "nullpad"): WrittenAttribute {
  const values = encodeStoredTexts([text]);
  const width = Math.max(1, values.bytes.length);
  const encoding = isAscii(text) ? "ascii" : "utf-8";
  return { type: { kind: "text", storage: { form: "fixed", encoding, width, padding } }, shape: [], values };
}

/** Reads the names in `MATLAB_fields`: texts, lists of characters, or a reference to a dataset of names. */
async function fieldNames(value: AttributeValue, objects: PassthroughObjects): Promise<readonly string[]> {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  if (isReference(only)) return await referredNames(only, objects);
  const list: readonly AttributeValue[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const name = Array.isArray(one) ? one.join("") : one;
    if (typeof name === "string") return name;
    throw new InvalidDataError("MATLAB_fields holds something else than names");
  });
}

function isReference(value: AttributeValue | undefined): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

async function referredNames(reference: Reference, { container }: PassthroughObjects): Promise<readonly string[]> {
  const node = await container.dereference(reference);
  const count = node.kind === "array" ? countElements(node.shape ?? []) : 0;
  if (node.kind !== "array" || node.type.kind !== "text" || count > MAX_FIELDS) {
    throw new InvalidDataError("MATLAB_fields refers to something else than names");
  }
  const values = await node.read(0, node.shape?.[0] ?? 1);
  if (values.kind !== "variable") throw new TypeError("text has values of variable width");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])),
  );
}
