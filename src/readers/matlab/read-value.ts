/** Stored objects -> values, with all that they hold; of numbers only where they lie. */

import type { Group, Node, StoredArray } from "../../containers/container.js";
import { InvalidDataError, isAnnarrowError, located } from "../../errors.js";
import { product } from "../../stored.js";
import { openChild } from "../context.js";
import { inOrder } from "../in-order.js";
import { attributeMetadata, classOf, integerAttribute } from "./attributes.js";
import { charValue, emptyChars } from "./chars.js";
import type { MatlabContext, Place } from "./context.js";
import { listedFields } from "./fields.js";
import { isObjectVector, objectValue } from "./mcos/object-value.js";
import { fixedValues, numbersOf } from "./memory-array.js";
import { numericType, numericValue } from "./numeric.js";
import { readGroup } from "./read-group.js";
import type { Value } from "./value.js";

/** `MATLAB_object_decode` of objects that `#subsystem#` has, and of Java's and COM's. */
const OPAQUE = 3;

/** The value of a node. A failure of what it holds stands in its place. @throws for the node itself. */
export async function readValue(node: Node, place: Place, cx: MatlabContext): Promise<Value> {
  if (place.within.includes(node.id)) throw new InvalidDataError("it contains itself", { element: node.path });
  const holds = node.kind === "group" || node.type.kind === "reference";
  cx.limits.enter(holds ? node.id : null, place);
  return node.kind === "group" ? await readGroup(node, place, cx) : await readDataset(node, place, cx);
}

/** As `readValue`; what is thrown becomes the value. */
export async function valueOrFailure(open: () => Promise<Node>, place: Place, cx: MatlabContext): Promise<Value> {
  try {
    return await located({}, async () => readValue(await open(), place, cx));
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { kind: "failed", class: "", size: [], metadata: {}, error };
  }
}

/** The members of a group by their names. */
export function readMembers(
  group: Group,
  names: readonly string[],
  place: Place,
  cx: MatlabContext,
): Promise<readonly Value[]> {
  const below = { ...place, within: [...place.within, group.id] };
  return inOrder(names, (name) => valueOrFailure(() => openChild(group, name, cx), below, cx));
}

/** More references than any real cell has. */
const MAX_REFERENCES = 2 ** 24;

/** What the references of a dataset refer to, in stored order, which is column-major. */
export async function readReferences(dataset: StoredArray, place: Place, cx: MatlabContext): Promise<readonly Value[]> {
  const { values } = await cx.turns.take(() => fixedValues(dataset, MAX_REFERENCES));
  const below = { ...place, within: [...place.within, dataset.id] };
  const addresses = Array.from(values, (value: number | bigint) => BigInt(value));
  // In the order of the file: neighbours are read at once.
  const order = addresses.map((_, i) => i).sort((a, b) => Number(addresses[a]) - Number(addresses[b]));
  const items: Value[] = new Array(addresses.length);
  await inOrder(order, async (i) => {
    items[i] = await valueOrFailure(() => follow(addresses[i], cx), below, cx);
  });
  return items;
}

function follow(address: bigint, cx: MatlabContext): Promise<Node> {
  const bytes = new Uint8Array(new BigUint64Array([address]).buffer);
  return cx.turns.take(() => cx.container.dereference({ kind: "reference", bytes }));
}

async function readDataset(dataset: StoredArray, place: Place, cx: MatlabContext): Promise<Value> {
  const name = classOf(dataset);
  const decode = integerAttribute(dataset, "MATLAB_object_decode") ?? 0;
  const size = [...(dataset.shape ?? [])].reverse();
  const metadata = attributeMetadata(dataset);
  if ((integerAttribute(dataset, "MATLAB_empty") ?? 0) !== 0) return await readEmpty(dataset, name ?? "", cx);
  if (dataset.type.kind === "reference") {
    const items = await readReferences(dataset, place, cx);
    if (name !== null) return { kind: "cell", class: name, size, metadata, items };
    // To be told from MATLAB's cells where it is written again.
    return {
      kind: "cell",
      class: "cell",
      size: dataset.shape ?? [],
      metadata: { ...metadata, unclassed: true },
      items,
    };
  }
  if (name === null) {
    const python = pythonType(metadata);
    return { kind: "plain", class: python ?? "", size: dataset.shape ?? [], metadata, array: dataset };
  }
  if (decode === OPAQUE || (place.inside && (await isObjectVector(dataset)))) {
    return await objectValue(dataset, name, place, cx);
  }
  // Python's bytes that are no text.
  if (name === "char" && (dataset.type.kind === "text" || dataset.type.kind === "bytes")) {
    return { kind: "plain", class: name, size, metadata, array: dataset };
  }
  if (name === "char") return await charValue(dataset, cx);
  if (numericType(name) !== null) return await numericValue(name, dataset);
  return { kind: "raw", class: name, size, metadata, array: dataset, reason: `class ${name} is not known` };
}

/** What `hdf5storage` calls the type of a value. */
export function pythonType(metadata: Readonly<Record<string, unknown>>): string | null {
  const { python } = metadata;
  if (typeof python !== "object" || python === null || !("Python.Type" in python)) return null;
  return typeof python["Python.Type"] === "string" ? python["Python.Type"] : null;
}

/** Elements of an array that has nothing in them. */
const MAX_EMPTY = 2 ** 31 - 1;

/** MATLAB_empty: the dataset holds the size, in MATLAB's order. */
async function readEmpty(dataset: StoredArray, stored: string, cx: MatlabContext): Promise<Value> {
  const size = await cx.turns.take(() => numbersOf(dataset, 64));
  const isStruct = numericType(stored) === null && !["char", "cell", "canonical empty"].includes(stored);
  const wrong = size.find((one) => !Number.isSafeInteger(one) || one < 0);
  if (size.length < 2 || wrong !== undefined || (!size.includes(0) && !isStruct)) {
    throw new InvalidDataError(`MATLAB_empty with the size ${size.join(" x ")}`, { element: dataset.path });
  }
  const canonical = stored === "canonical empty";
  const name = canonical ? "double" : stored;
  const metadata = { ...attributeMetadata(dataset), empty: canonical ? "canonical" : true };
  const type = numericType(name);
  if (type !== null) return { kind: "numeric", class: name, size, metadata, type, dataset: null };
  if (name === "char") return emptyChars(dataset.path, size, metadata);
  if (name === "cell") return { kind: "cell", class: name, size, metadata, items: [] };
  const fields = (await listedFields(dataset, cx)) ?? [];
  const elements = product(size);
  if (elements > MAX_EMPTY || (fields.length > 0 && elements > 0)) {
    throw new InvalidDataError(`MATLAB_empty with ${elements} elements`, { element: dataset.path });
  }
  return { kind: "struct", class: name, size, metadata, fields, columns: fields.map(() => []) };
}
