/** Compares our reader with libhdf5 over every group, link, attribute and array of a file. */

import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import { REGION } from "../../../src/containers/hdf5/types/stored-type.js";
import type { AttributeValue, Group, Node, StoredArray } from "../../../src/containers/tree/container.js";
import type { ByteSource } from "../../../src/io/sources/source.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { type StoredType, type StoredValues, viewAsBytes } from "../../../src/model/stored.js";
import { type Oracle, openOracle } from "./h5wasm-oracle.js";

export interface CrossCheck {
  /** What was compared and is equal. */
  readonly equal: { groups: number; links: number; attributes: number; arrays: number; values: number };
  /** What could not be compared, and why: the path is first. */
  readonly skipped: string[];
  readonly different: string[];
}

/** A cross-check's steps report here. */
interface Walk extends CrossCheck {
  readonly oracle: Oracle;
  readonly seen: Set<string>;
}

export async function crossCheck(source: ByteSource, bytes: Uint8Array): Promise<CrossCheck> {
  const equal = { groups: 0, links: 0, attributes: 0, arrays: 0, values: 0 };
  const container = await openHdf5(source);
  const oracle = await openOracle(bytes);
  const walk: Walk = { equal, skipped: [], different: [], oracle, seen: new Set() };
  await checkNode(walk, "", container.root);
  oracle.close();
  await container.close();
  return { equal, skipped: walk.skipped, different: walk.different };
}

async function checkNode(walk: Walk, path: string, node: Node): Promise<void> {
  const { oracle, seen, different } = walk;
  const at = path === "" ? "/" : path;
  const address = oracle.address(at);
  if (String(address) !== node.id) different.push(`${at}: object ${node.id}, libhdf5 has ${address}`);
  if (seen.has(node.id)) return;
  seen.add(node.id);
  checkAttributes(walk, at, node.attributes);
  if (node.kind === "array") await checkArray(walk, at, node);
  else await checkGroup(walk, path, node);
}

async function checkGroup(walk: Walk, path: string, group: Group): Promise<void> {
  const { oracle, equal, different, skipped } = walk;
  const at = path === "" ? "/" : path;
  const names = [...(await group.keys())].sort();
  const expected = oracle.names(at).sort();
  if (JSON.stringify(names) !== JSON.stringify(expected)) {
    different.push(`${at}: names ${names.join(", ")}; libhdf5 has ${expected.join(", ")}`);
    return;
  }
  equal.groups++;
  for (const name of names) {
    const child = `${path}/${name}`;
    const opened = await attempt(() => group.open(name));
    if (opened.error === undefined) await checkNode(walk, child, opened.value);
    else if (opened.tag === "NotFoundError" && oracle.address(child) === null) equal.links++;
    else if (opened.tag === "UnsupportedError") skipped.push(`${child}: ${opened.error}`);
    else different.push(`${child}: ${opened.error}`);
  }
}

function checkAttributes(walk: Walk, at: string, attributes: ReadonlyMap<string, AttributeValue>): void {
  const { oracle, equal, different, skipped } = walk;
  const expected = oracle.attributeNames(at).sort();
  // Where libhdf5 refuses an attribute, it names none.
  const isNamed = ([name, value]: [string, AttributeValue]) => !isUnreadable(value) || expected.includes(name);
  const names = [...attributes]
    .filter(isNamed)
    .map(([name]) => name)
    .sort();
  if (JSON.stringify(names) !== JSON.stringify(expected)) {
    different.push(`${at}: attributes ${names.join(", ")}; libhdf5 has ${expected.join(", ")}`);
    return;
  }
  for (const [name, value] of attributes) {
    const label = `${at}@${name}`;
    if (isUnreadable(value)) {
      skipped.push(`${label}: ${value.reason}`);
      continue;
    }
    try {
      const wanted = oracle.attribute(at, name);
      if (isSame(value, wanted)) equal.attributes++;
      else different.push(`${label}: ${show(value)}; libhdf5 has ${show(wanted)}`);
    } catch (error) {
      skipped.push(`${label}: libhdf5 fails: ${first(error)}`);
    }
  }
}

/** Types that h5wasm does not describe; test/fixtures/hdf5/make_plain.py compares them with h5py. */
function isForH5py(type: StoredType): boolean {
  switch (type.kind) {
    case "float":
      return type.format !== undefined;
    case "sequence":
      return isForH5py(type.item);
    case "record":
      return type === REGION || type.fields.some((field) => isForH5py(field.type));
    default:
      return false;
  }
}

async function checkArray(walk: Walk, at: string, array: StoredArray): Promise<void> {
  const { oracle, equal, different, skipped } = walk;
  try {
    const wanted = oracle.array(at);
    if (JSON.stringify(wanted.shape) !== JSON.stringify(array.shape)) {
      different.push(`${at}: shape ${array.shape?.join(" x ")}; libhdf5 has ${wanted.shape?.join(" x ")}`);
      return;
    }
    if (isForH5py(array.type)) {
      skipped.push(`${at}: not compared here: region references, and floats that are none of IEEE's`);
      return;
    }
    if (typeText(wanted.type) !== typeText(array.type)) {
      const differ = `type ${typeText(array.type)}; libhdf5 has ${typeText(wanted.type)}`;
      if (array.type.kind !== "unsupported") different.push(`${at}: ${differ}`);
      else skipped.push(`${at}: ${array.type.name}`);
      return;
    }
    if (array.type.kind === "unsupported") {
      skipped.push(`${at}: ${array.type.name}`);
      return;
    }
    if (array.shape === null) {
      equal.arrays++;
      return;
    }
    const rows = array.shape.length === 0 ? 1 : array.shape[0];
    const ours = await attempt(() => array.read(0, rows));
    if (ours.error !== undefined) {
      (ours.tag === "UnsupportedError" ? skipped : different).push(`${at}: ${ours.error}`);
    } else if (wanted.missingFilters.length > 0) {
      skipped.push(`${at}: h5wasm has no filter ${wanted.missingFilters.join(", ")}`);
    } else if (sameValues(ours.value, wanted.read())) {
      equal.arrays++;
      equal.values += array.shape.reduce((a, b) => a * b, 1);
    } else {
      different.push(`${at}: values`);
    }
  } catch (error) {
    skipped.push(`${at}: libhdf5 fails: ${first(error)}`);
  }
}

type Attempt<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: string; readonly tag: string; readonly value?: undefined };

async function attempt<T>(action: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await action() };
  } catch (error) {
    return isAnnarrowError(error)
      ? { error: error.problem, tag: error.tag }
      : { error: `no error of ours: ${first(error)}`, tag: "" };
  }
}

function first(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}

function isUnreadable(value: AttributeValue): value is { readonly kind: "unreadable"; readonly reason: string } {
  return value !== null && typeof value === "object" && "kind" in value && value.kind === "unreadable";
}

function show(value: AttributeValue): string {
  return JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? `${one}n` : one)).slice(0, 200);
}

/** h5wasm does not tell bit fields from integers. */
function typeText(type: StoredType): string {
  return JSON.stringify(type, (key, one) =>
    key === "isBitField" ? undefined : typeof one === "bigint" ? `${one}n` : one,
  );
}

/** Bit for bit: -0 is not 0, and NaN is NaN. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return Object.is(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return sameBytes(a, b);
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return left.length === right.length && left.every(([key, one], i) => key === right[i][0] && isSame(one, right[i][1]));
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function sameValues(a: StoredValues, b: StoredValues): boolean {
  switch (a.kind) {
    case "fixed":
      return b.kind === "fixed" && sameBytes(viewAsBytes(a.values), viewAsBytes(b.values));
    case "variable":
      return (
        b.kind === "variable" &&
        sameBytes(viewAsBytes(a.offsets), viewAsBytes(b.offsets)) &&
        sameBytes(a.bytes, b.bytes)
      );
    case "record":
      return (
        b.kind === "record" && a.length === b.length && a.fields.every((field, i) => sameValues(field, b.fields[i]))
      );
    case "sequence":
      return (
        b.kind === "sequence" &&
        sameBytes(viewAsBytes(a.offsets), viewAsBytes(b.offsets)) &&
        sameValues(a.values, b.values)
      );
    default:
      return a satisfies never;
  }
}
