/**
 * Values that GNU Octave wrote (`save -hdf5`): a group with the attribute `OCTAVE_NEW_FORMAT`, a text `type`, and
 * `value`. Source: `save_hdf5` in the classes of `libinterp/octave-value`. As in MATLAB files, the dimensions are in
 * reverse order.
 */

import { createMemoryArray } from "../../../containers/picked/memory-array.js";
import type { Group, Node, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type NumberArray, type StoredType, type StoredValues } from "../../../model/stored.js";
import { mapConcurrently } from "../../concurrency.js";
import { listChildNames, openChild } from "../../reader.js";
import { getMatlabInteger } from "./attributes.js";
import { emptyChars, readByteChars } from "./chars.js";
import type { MatlabContext, ValueScope } from "./context.js";
import { readArrayNumbers } from "./memory-array.js";
import { findNumericType, readNumericValue } from "./numeric.js";
import { createSparseValue } from "./sparse.js";
import type { NumericValue, SparseValue, Value } from "./value.js";

export function isOctave({ attributes }: Pick<Node, "attributes">): boolean {
  return attributes.has("OCTAVE_NEW_FORMAT");
}

/** Reads a value that is nested inside another value. */
export type ReadBelow = (open: () => Promise<Node>, scope: ValueScope, cx: MatlabContext) => Promise<Value>;

const DOUBLE = { kind: "float", bits: 64 } as const;

/** Maximum number of elements in a cell. It is the same as for MATLAB's cells. */
const MAX_ITEMS = 2 ** 24;

/**
 * Reads a value.
 * @throws {UnsupportedError} for types that cannot be converted: function handles, objects, permutations.
 */
export async function readOctaveValue(
  group: Group,
  scope: ValueScope,
  cx: MatlabContext,
  read: ReadBelow,
): Promise<Value> {
  const [type, value] = [await typeOf(group, cx), await openChild(group, "value", cx)];
  const below = { ...scope, ancestors: [...scope.ancestors, group.id] };
  if (value.kind === "group") {
    if (type.startsWith("sparse ")) return await sparse(type, value, cx);
    if (type === "cell") return await cell(value, below, cx, read);
    if (type === "scalar struct" || type === "struct") return await struct(type, value, below, cx, read);
    throw new UnsupportedError(`Octave's type "${type}"`);
  }
  const empty = group.attributes.has("OCTAVE_EMPTY_MATRIX") ? await sizeIn(value, cx) : null;
  const name = classOfType(type);
  if (/^(sq_|null_|null_sq_)?string$/.test(type)) {
    return empty === null ? await readByteChars(value, cx) : emptyChars(value.path, empty, {});
  }
  if (type === "cell" && empty !== null) return { kind: "cell", class: "cell", size: empty, metadata: {}, items: [] };
  if (/^(double_)?range$/.test(type)) return await range(value, cx);
  const stored = findNumericType(name ?? "");
  if (name === null || stored === null) throw new UnsupportedError(`Octave's type "${type}"`);
  if (empty !== null) {
    return { kind: "numeric", class: name, size: empty, metadata: {}, type: stored, dataset: null };
  }
  const numbers = value.shape?.length === 0 ? await single(value, stored, cx) : value;
  return await readNumericValue(name, stored.kind === "float" ? withFloats(numbers, stored) : numbers);
}

/** Reads a number that is stored without dimensions into memory. Logical values are stored as floats. */
async function single(value: StoredArray, type: StoredType, cx: MatlabContext): Promise<StoredArray> {
  const read = await cx.concurrency.run(() => value.read(0, 1, cx.options));
  if (read.kind !== "fixed" || type.kind !== "bool") return createMemoryArray(value.path, value.type, [1, 1], read);
  const values = Uint8Array.from(read.values, (one: number | bigint) => (Number(one) === 0 ? 0 : 1));
  return createMemoryArray(value.path, type, [1, 1], { kind: "fixed", values });
}

/** Returns the MATLAB class for a numeric type of Octave; null for other types. */
function classOfType(type: string): string | null {
  if (/^(null_)?(complex )?(matrix|scalar)$/.test(type)) return "double";
  if (/^float (complex )?(matrix|scalar)$/.test(type)) return "single";
  if (/^bool( matrix)?$/.test(type)) return "logical";
  return /^(u?int(?:8|16|32|64)) (?:matrix|scalar)$/.exec(type)?.[1] ?? null;
}

async function typeOf(group: Group, cx: MatlabContext): Promise<string> {
  const node = await openChild(group, "type", cx);
  const read = node.kind === "array" ? await cx.concurrency.run(() => node.read(0, 1, cx.options)) : null;
  if (read?.kind !== "variable") throw new InvalidDataError("the type of a value of Octave is no text");
  return new TextDecoder().decode(read.bytes.subarray(read.offsets[0], read.offsets[1]));
}

/** Reads a size. An empty value's size is stored rows first, whereas a cell's size is stored in reverse order. */
async function sizeIn(node: Node, cx: MatlabContext): Promise<readonly number[]> {
  if (node.kind === "group") throw new InvalidDataError("the size of a value of Octave is a group");
  const size = await cx.concurrency.run(() => readArrayNumbers(node, 64));
  if (size.length >= 2 && size.every((one) => Number.isSafeInteger(one) && one >= 0)) return size;
  throw new InvalidDataError(`a value of Octave with the size ${size.join(" x ")}`, { element: node.path });
}

/** Converts an array to floats, because Octave stores floats as integers if their values are integers. */
function withFloats(array: StoredArray, type: StoredType): StoredArray {
  if (array.type.kind !== "int") return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const { view } = array.capabilities ?? {};
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    read: async (...rows) => asFloats(await array.read(...rows), type),
    capabilities: view === undefined ? undefined : { view: (form) => withFloats(view(form), type) },
  };
}

function asFloats(values: StoredValues, type: StoredType): StoredValues {
  if (values.kind !== "fixed") throw new TypeError("integers have a fixed size");
  const { length } = values.values;
  const floats = type.kind === "float" && type.bits === 32 ? new Float32Array(length) : new Float64Array(length);
  for (let i = 0; i < length; i++) floats[i] = Number(values.values[i]);
  return { kind: "fixed", values: floats };
}

async function cell(group: Group, scope: ValueScope, cx: MatlabContext, read: ReadBelow): Promise<Value> {
  const size = (await sizeIn(await openChild(group, "dims", cx), cx)).toReversed();
  const count = countElements(size);
  if (count > MAX_ITEMS) throw new UnsupportedError(`a cell of ${count} elements`);
  const names = Array.from({ length: count }, (_, i) => `_${i}`);
  const items = await mapConcurrently(names, (name) => read(() => openChild(group, name, cx), scope, cx));
  return { kind: "cell", class: "cell", size, metadata: {}, items };
}

/** Reads a struct. In a struct array, each field is a cell. */
async function struct(
  type: "scalar struct" | "struct",
  group: Group,
  scope: ValueScope,
  cx: MatlabContext,
  read: ReadBelow,
): Promise<Value> {
  const fields = await listChildNames(group, cx);
  const values = await mapConcurrently(fields, (name) => read(() => openChild(group, name, cx), scope, cx));
  const base = { kind: "struct", class: "struct", metadata: {}, fields } as const;
  if (type === "scalar struct") return { ...base, size: [1, 1], columns: values.map((value) => [value]) };
  const columns = values.map((value, i) => {
    if (value.kind === "cell") return value;
    throw value.kind === "failed"
      ? value.error
      : new InvalidDataError(`field ${fields[i]} of a struct array is no cell`);
  });
  const size = columns[0]?.size ?? [0, 0];
  return { ...base, size, columns: columns.map(({ items }) => items) };
}

async function sparse(type: string, group: Group, cx: MatlabContext): Promise<SparseValue> {
  const array = async (key: string) => {
    const node = await openChild(group, key, cx);
    if (node.kind === "array") return node;
    throw new InvalidDataError(`${key} is no array`, { element: node.path });
  };
  const isLogical = type === "sparse bool matrix";
  const list = async (key: string, bool = false) => asList(await array(key), bool);
  const [rows] = await cx.concurrency.run(async () => readArrayNumbers(await array("nr"), 1));
  const [jc, ir, data] = [await list("cidx"), await list("ridx"), await list("data", isLogical)];
  const name = isLogical ? "logical" : "double";
  const values = data === null || isLogical ? data : withFloats(data, DOUBLE);
  return await createSparseValue({ path: group.path, name, rows, metadata: {}, jc, ir, data: values }, cx);
}

/** Flattens a list that is stored as a one-column matrix; null for an empty list. */
function asList(array: StoredArray, bool: boolean): StoredArray | null {
  if (countElements(array.shape ?? []) === 0) return null;
  return array.shape?.length === 1 ? array : (array.capabilities?.view?.({ form: "flat", bool }) ?? array);
}

/** Maximum length of a range, because its numbers are held in memory. */
const MAX_OF_RANGE = 2 ** 24;

/** Reads `base:increment:limit`, which is stored as just these three numbers. */
async function range(value: StoredArray, cx: MatlabContext): Promise<NumericValue> {
  const read = await cx.concurrency.run(() => value.read(0, 1, cx.options));
  const numbers = new Map<string, number>();
  if (value.type.kind === "record" && read.kind === "record") {
    for (const [i, { name }] of value.type.fields.entries()) {
      const field = read.fields[i];
      if (field.kind === "fixed") numbers.set(name, Number(field.values[0]));
    }
  }
  const [base = Number.NaN, limit = Number.NaN, increment = Number.NaN] = ["base", "limit", "increment"].map((name) =>
    numbers.get(name),
  );
  const noted = getMatlabInteger(value, "OCTAVE_RANGE_NELEM");
  // Before version 3.8, Octave did not store the number of elements. It computes this number with a tolerance of three
  // units in the last place.
  const steps = (limit - base) / increment;
  const count = noted ?? Math.max(0, Math.floor(steps + 3 * Number.EPSILON * Math.max(1, Math.abs(steps))) + 1);
  if (!(count <= MAX_OF_RANGE)) throw new UnsupportedError(`a range of Octave from ${base} to ${limit}`);
  const values: NumberArray = Float64Array.from({ length: count }, (_, i) => base + i * increment);
  const dataset = createMemoryArray(value.path, DOUBLE, [count, 1], { kind: "fixed", values });
  return { kind: "numeric", class: "double", size: [1, count], metadata: {}, type: DOUBLE, dataset };
}
