import { InvalidInputError, NotFoundError, UnsupportedError } from "annarrow";
import type { AttributeValue, ByteSpill, Node } from "annarrow/core/containers";
import { compareByCodePoint } from "annarrow/core/kernels";
import {
  type EnumMember,
  runWithLocation,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "annarrow/core/model";
import type { ByteSource, Container, Group, ReadOptions, StoredArray } from "annarrow/format";
import { countTextStrings, decodeStringAt, encodeStrings, LATIN1, MISSING, type RText } from "./model/text.js";
import {
  createUnreadableError,
  NA_INTEGER,
  type RAttributes,
  type RCharacter,
  type RComplex,
  type RInteger,
  type RList,
  type RLogical,
  type RNull,
  type RRaw,
  type RReal,
  type RS4,
  type RSpilled,
  type RValue,
  readSpilledValues,
} from "./model/value.js";
import { readRds } from "./read.js";

/** Maximum number of lists and objects in a file. Real files have few, however large their vectors are. */
const MAX_VALUES = 2 ** 20;

/**
 * The container of an R object, including content outside the tree: long attributes, missing values, other kinds of
 * values.
 */
export interface RdsContainer extends Container {
  /** Returns the value of the group with this id; undefined for a group that was not opened. */
  readonly valueOf: (id: string) => RValue | undefined;
}

export function isRdsContainer(container: Container): container is RdsContainer {
  return container.kind === "rds" && "valueOf" in container;
}

/**
 * Opens an R object as a tree. S4 objects become groups of their slots, lists become groups of their elements, and
 * atomic vectors become arrays. A single vector, and any other value, is a group without children. The whole file is
 * read at once, because it has no index of its values. Meanwhile, entries of large sparse matrices are spilled.
 * @param newSpill creates the storage for these entries; by default they stay in memory.
 * @throws {InvalidDataError} {UnsupportedError} like `readRds`.
 */
export function openRds(
  source: ByteSource,
  { newSpill, ...options }: ReadOptions & { readonly newSpill?: () => Promise<ByteSpill | null> } = {},
): Promise<RdsContainer> {
  return runWithLocation({ source: source.name }, async () => {
    const spill = (await newSpill?.()) ?? null;
    const value = savedList(
      await readRds(source, { ...options, spill, maxValues: MAX_VALUES }).catch(async (error: unknown) => {
        await spill?.remove();
        throw error;
      }),
    );
    const values = new Map<string, RValue>();
    const root =
      value.kind === "s4" || value.kind === "list"
        ? createRdsNode(value, "", "", values)
        : new ValueGroup({ path: "", id: "", value, attributes: attributesOf(value), children: new Map() }, values);
    if (root.kind !== "group") throw new TypeError("the root is a group");
    return {
      ...{ kind: "rds", name: source.name, root, valueOf: (id: string) => values.get(id) },
      dereference: () => Promise.reject(new UnsupportedError("R objects have no references", { source: source.name })),
      async close() {
        await spill?.remove();
        await source.close();
      },
    };
  });
}

/** Converts the pairlist of objects that `save` wrote to a list; returns any other value unchanged. */
function savedList(value: RValue): RValue {
  if (value.kind !== "pairlist" || value.tail !== undefined) return value;
  const names = value.items.map(({ tag }) => tag ?? "");
  return {
    kind: "list",
    values: value.items.map((item) => item.value),
    attributes: new Map([["names", { kind: "character", text: encodeStrings(names), attributes: new Map() }]]),
  };
}

function attributesOf(value: RValue): ReadonlyMap<string, AttributeValue> {
  return "attributes" in value ? toNodeAttributes(value.attributes) : new Map();
}

/**
 * Creates the node for a value.
 * @param id identifies the position in the tree, because two elements of a list may have the same name.
 * @param values collects the values of opened groups.
 * @throws {UnsupportedError} for values that are neither vectors, lists nor S4 objects.
 */
export function createRdsNode(value: RValue, path: string, id: string, values: Map<string, RValue> = new Map()): Node {
  switch (value.kind) {
    case "s4": {
      const attributes = classAttributes(value);
      return new ValueGroup({ path, id, value, attributes, children: sorted(value.slots) }, values);
    }
    case "list": {
      const listed = namesOf(value);
      const attributes = toNodeAttributes(value.attributes);
      return new ValueGroup({ path, id, value, attributes, children: elements(value, listed), listed }, values);
    }
    case "null":
    case "logical":
    case "integer":
    case "real":
    case "spilled":
    case "complex":
    case "character":
    case "raw":
      return createVectorArray(value, path, id);
    case "pairlist":
    case "language":
    case "symbol":
    case "environment":
    case "named":
    case "namespace":
    case "package":
    case "external pointer":
    case "opaque":
      throw new UnsupportedError(`an R value of the kind ${value.kind}`, { element: path });
    case "unreadable":
      throw createUnreadableError(value).locate({ element: path });
    default:
      return value satisfies never;
  }
}

interface GroupParts {
  readonly path: string;
  readonly id: string;
  readonly value: RValue;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly children: ReadonlyMap<string, RValue>;
  /** The names of a list's elements. */
  readonly listed?: readonly (string | null)[] | null;
}

class ValueGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly elementNames: readonly (string | null)[] | null;
  readonly #children: ReadonlyMap<string, RValue>;
  readonly #values: Map<string, RValue>;

  constructor({ path, id, value, attributes, children, listed }: GroupParts, values: Map<string, RValue>) {
    this.path = path;
    this.id = id;
    this.attributes = attributes;
    this.elementNames = listed ?? null;
    this.#children = children;
    this.#values = values;
    values.set(id, value);
  }

  async keys(): Promise<readonly string[]> {
    return [...this.#children.keys()];
  }

  async open(name: string): Promise<Node> {
    const path = this.path === "" ? name : `${this.path}/${name}`;
    const value = this.#children.get(name);
    if (value === undefined) throw new NotFoundError("no such slot or element", { element: path });
    // The length prefix distinguishes a child called `a/b` from the child `b` of `a`.
    return createRdsNode(value, path, `${this.id}/${name.length}:${name}`, this.#values);
  }
}

function sorted(slots: RAttributes): RAttributes {
  return new Map([...slots].sort(([a], [b]) => compareByCodePoint(a, b)));
}

function classAttributes({ className, package: from }: RS4): ReadonlyMap<string, AttributeValue> {
  return new Map([["class", className], ...(from === null ? [] : [["package", from] as const])]);
}

/**
 * Returns the names of the elements; null for every element if the list has no names. A missing name becomes "NA", as R
 * prints it.
 */
function namesOf({ values, attributes }: RList): readonly (string | null)[] {
  const names = attributes.get("names");
  if (names?.kind !== "character") return values.map(() => null);
  const { text } = names;
  return values.map((_, i) => (i < countTextStrings(text) ? (decodeStringAt(text, i) ?? "NA") : ""));
}

/**
 * Maps names to elements, in the order of the list. An element that has no name, or the name of an earlier element,
 * gets its position, counted from 1, as its key. If another element has this position as its name, `_1`, `_2`, … is
 * appended.
 */
function elements({ values }: RList, names: readonly (string | null)[]): ReadonlyMap<string, RValue> {
  const own = new Set(names);
  const found = new Map<string, RValue>();
  for (const [i, value] of values.entries()) {
    let key = names[i];
    if (key === null || key === "" || found.has(key)) {
      key = String(i + 1);
      for (let more = 1; own.has(key) || found.has(key); more++) key = `${i + 1}_${more}`;
    }
    found.set(key, value);
  }
  return found;
}

/** Maximum length of a vector that becomes an attribute. Longer vectors (row names, levels) count as data. */
const MAX_LENGTH = 64;

/** Converts R's attributes to a node's attributes. A vector of length 1 becomes a scalar. */
function toNodeAttributes(attributes: RAttributes): ReadonlyMap<string, AttributeValue> {
  return new Map([...attributes].map(([name, value]) => [name, attributeValue(value)]));
}

function attributeValue(value: RValue): AttributeValue {
  switch (value.kind) {
    case "null":
      return null;
    case "logical":
      return listed(value.values.length, (i) => (value.values[i] === NA_INTEGER ? null : value.values[i] !== 0));
    case "integer":
      return listed(value.values.length, (i) => (value.values[i] === NA_INTEGER ? null : value.values[i]));
    case "real":
      return listed(value.values.length, (i) => value.values[i]);
    case "character":
      return listed(countTextStrings(value.text), (i) => decodeStringAt(value.text, i));
    case "unreadable":
      return { kind: "unreadable", reason: value.problem };
    default:
      return { kind: "unreadable", reason: `an R value of the kind ${value.kind}` };
  }
}

function listed(length: number, at: (index: number) => AttributeValue): AttributeValue {
  if (length === 1) return at(0);
  if (length > MAX_LENGTH) return { kind: "unreadable", reason: `a vector of ${length} values` };
  return Array.from({ length }, (_, i) => at(i));
}

type Vector = RNull | RLogical | RInteger | RReal | RSpilled | RComplex | RCharacter | RRaw;

/**
 * Creates the array for an atomic vector. It always has one dimension; the `dim` of a matrix is an attribute. In
 * integers, NA remains the least integer; a missing string becomes the text "NA".
 */
function createVectorArray(value: Vector, path: string, id: string): StoredArray {
  const node = { kind: "array", path, id, chunks: null } as const;
  switch (value.kind) {
    case "null":
      return {
        ...{ ...node, attributes: new Map(), type: { kind: "unsupported", name: "NULL" }, shape: null },
        read: () => Promise.reject(new InvalidInputError("NULL has no values", { element: path })),
      };
    case "logical": {
      const missing = value.values.includes(NA_INTEGER);
      const values = missing ? value.values : Uint8Array.from(value.values, (stored) => (stored === 0 ? 0 : 1));
      return { ...node, ...fixed(value, missing ? LOGICAL : { kind: "bool" }, { values, width: 1 }, path) };
    }
    case "integer":
      return {
        ...node,
        ...fixed(value, { kind: "int", bits: 32, signed: true }, { values: value.values, width: 1 }, path),
      };
    case "real":
      return { ...node, ...fixed(value, { kind: "float", bits: 64 }, { values: value.values, width: 1 }, path) };
    case "spilled":
      return { ...node, attributes: toNodeAttributes(value.attributes), ...createSpilledArray(value, path) };
    case "complex":
      return { ...node, ...fixed(value, { kind: "complex", bits: 128 }, { values: value.values, width: 2 }, path) };
    case "raw":
      return {
        ...node,
        ...fixed(value, { kind: "int", bits: 8, signed: false }, { values: value.values, width: 1 }, path),
      };
    case "character": {
      const text = unified(value.text);
      const count = countTextStrings(value.text);
      return {
        ...{ ...node, attributes: toNodeAttributes(value.attributes), type: TEXT, shape: [count] },
        async read(start, end, options) {
          options?.signal?.throwIfAborted();
          checkRange(start, end, count, path);
          return part(text, start, end);
        },
      };
    }
    default:
      return value satisfies never;
  }
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

const MEMBERS: readonly EnumMember[] = [
  { name: "FALSE", value: 0 },
  { name: "TRUE", value: 1 },
  { name: "NA", value: NA_INTEGER },
];

/** Logicals with missing values as an enum. */
const LOGICAL: StoredType = { kind: "enum", base: { kind: "int", bits: 32, signed: true }, members: MEMBERS };

/** Numbers of a vector. Each value has `width` numbers: two for a complex value, otherwise one. */
interface Numbers {
  readonly values: Int32Array | Float64Array | Uint8Array;
  readonly width: number;
}

function fixed(
  { attributes }: Exclude<Vector, RNull | RSpilled>,
  type: StoredType,
  { values, width }: Numbers,
  path: string,
): Pick<StoredArray, "type" | "shape" | "attributes" | "read" | "readInto"> {
  const count = values.length / width;
  return {
    type,
    shape: [count],
    attributes: toNodeAttributes(attributes),
    async read(start, end, options): Promise<StoredValues> {
      options?.signal?.throwIfAborted();
      checkRange(start, end, count, path);
      // The values are copied, because the caller may change them.
      return { kind: "fixed", values: values.slice(start * width, end * width) };
    },
    async readInto(start, end, target, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, count, path);
      target.set(viewAsBytes(values.subarray(start * width, end * width)));
    },
  };
}

/** Returns the type, the shape and the read methods of a spilled vector. */
export function createSpilledArray(
  value: RSpilled,
  path: string,
): Pick<StoredArray, "type" | "shape" | "read" | "readInto"> {
  const { of, length, readInto } = value;
  return {
    type: of === "integer" ? { kind: "int", bits: 32, signed: true } : { kind: "float", bits: 64 },
    shape: [length],
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, length, path);
      return { kind: "fixed", values: await readSpilledValues(value, start, end) };
    },
    async readInto(start, end, target, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, length, path);
      await readInto(start, target);
    },
  };
}

function checkRange(start: number, end: number, count: number, path: string): void {
  if (start >= 0 && start <= end && end <= count) return;
  throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
}

/** Converts strings to one encoding: Latin-1 to UTF-8. All other bytes stay unchanged. */
function unified(text: RText): VariableValues {
  const { offsets, bytes, encodings } = text;
  if (!encodings.includes(LATIN1) && !encodings.includes(MISSING)) return { kind: "variable", offsets, bytes };
  const own: Uint8Array[] = [];
  const to = new Int32Array(offsets.length);
  for (const [i, encoding] of encodings.entries()) {
    const changed = encoding === LATIN1 || encoding === MISSING;
    own[i] = changed
      ? encodeStrings([decodeStringAt(text, i) ?? "NA"]).bytes
      : bytes.subarray(offsets[i], offsets[i + 1]);
    to[i + 1] = to[i] + own[i].length;
  }
  const joined = new Uint8Array(to[encodings.length]);
  for (const [i, one] of own.entries()) joined.set(one, to[i]);
  return { kind: "variable", offsets: to, bytes: joined };
}

function part({ offsets, bytes }: VariableValues, start: number, end: number): VariableValues {
  const base = offsets[start];
  return {
    kind: "variable",
    offsets: offsets.slice(start, end + 1).map((offset) => offset - base),
    bytes: bytes.subarray(base, offsets[end]),
  };
}
