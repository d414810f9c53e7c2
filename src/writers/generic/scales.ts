/**
 * Dimension scales. A scale is an array that contains a dimension's coordinates or, if there are none, only specifies
 * its length. Sources: HDF5 Dimension Scale Specification; NetCDF-4, "Interoperability with HDF5".
 */

import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { splitPath } from "../groups.js";

/** An array to be written, with the names of its dimensions. */
export interface NamedArray {
  readonly path: string;
  readonly shape: readonly number[];
  /** Name of each dimension; null for an unnamed dimension. */
  readonly names: readonly (string | null)[];
  /** Whether the array has attributes of its own under the names that are reserved for scales (`OF_SCALES`). */
  readonly hasOwnNames: boolean;
}

/** The file's other contents, and a function that makes references to paths. */
export interface ScaledFile {
  readonly taken: ReadonlySet<string>;
  /** The lengths of dimensions without coordinates, by path. */
  readonly dimensions: ReadonlyMap<string, number>;
  readonly reserve: (path: string) => bigint;
}

export interface Scales {
  /** Lengths of dimensions without coordinates, keyed by path. Each is written as a separate array. */
  readonly bare: ReadonlyMap<string, number>;
  /** Returns the attributes that link an array to its scales, or a scale to its arrays. */
  attributesOf(path: string): ReadonlyMap<string, WrittenAttribute>;
  /** Whether every named dimension of the array has a scale. */
  isScaled(path: string): boolean;
}

interface Use {
  readonly path: string;
  readonly axis: number;
}

/**
 * Attributes of a scale. If an array has an attribute of its own under one of these names, it is not used as a scale.
 */
export const OF_SCALES: readonly string[] = ["CLASS", "NAME", "REFERENCE_LIST"];

/**
 * Finds the scale for each named dimension. This is the scale in the array's group or a parent group, else the only
 * scale with this name and length, else a new scale without coordinates in the array's group. If another object has
 * that name, the dimension gets no scale.
 */
export function findScales(arrays: readonly NamedArray[], file: ScaledFile): Scales {
  const coordinates = new Map<string, number>();
  for (const { path, shape, names, hasOwnNames } of arrays) {
    if (shape.length === 1 && names[0] === splitPath(path).name && !hasOwnNames) coordinates.set(path, shape[0]);
  }
  const byName = new Map<string, string[]>();
  for (const path of coordinates.keys()) added(byName, splitPath(path).name, path);
  const all = new Set(arrays.map(({ path }) => path));
  const bare = new Map([...file.dimensions].filter(([path]) => isFree(path, file.taken, all)));
  const scaleOf = (path: string, name: string, length: number): string | null => {
    if (!isLinkName(name)) return null;
    const { above } = splitPath(path);
    for (let group: string | null = above; group !== null; group = group === "" ? null : splitPath(group).above) {
      const place = joined(group, name);
      if (coordinates.get(place) === length || bare.get(place) === length) return place;
    }
    const elsewhere = (byName.get(name) ?? []).filter((place) => coordinates.get(place) === length);
    if (elsewhere.length === 1) return elsewhere[0];
    const place = joined(above, name);
    if (bare.has(place) || !isFree(place, file.taken, all)) return null;
    bare.set(place, length);
    return place;
  };
  const scales = new Map<string, readonly (string | null)[]>();
  const scaled = new Set<string>();
  const uses = new Map<string, Use[]>();
  for (const { path, shape, names } of arrays) {
    const own = names.map((name, axis) => (name === null ? null : scaleOf(path, name, shape[axis])));
    const isNamed = names.some((name) => name !== null);
    if (isNamed && names.every((name, axis) => name === null || own[axis] !== null)) scaled.add(path);
    if (coordinates.has(path)) continue;
    scales.set(path, own);
    for (const [axis, scale] of own.entries()) if (scale !== null) added(uses, scale, { path, axis });
  }
  // All references are created before any array, because arrays refer to arrays that come later.
  const references = new Map<string, bigint>();
  for (const [scale, users] of uses) {
    for (const path of [scale, ...users.map((use) => use.path)]) references.set(path, file.reserve(path));
  }
  const to = (path: string) => references.get(path) ?? 0n;
  return {
    bare,
    isScaled: (path) => scaled.has(path),
    attributesOf: (path) => {
      const length = bare.get(path);
      if (length !== undefined || coordinates.has(path)) {
        return scaleAttributes(length === undefined ? splitPath(path).name : nameOfBare(length), uses.get(path), to);
      }
      const own = scales.get(path) ?? [];
      return own.every((scale) => scale === null) ? new Map() : new Map([["DIMENSION_LIST", dimensionList(own, to)]]);
    },
  };
}

/** Returns the attribute NAME that marks a dimension without coordinates in netCDF4. */
function nameOfBare(length: number): string {
  return `This is a netCDF dimension but not a netCDF variable.${String(length).padStart(10)}`;
}

function scaleAttributes(
  name: string,
  uses: readonly Use[] = [],
  to: (path: string) => bigint,
): ReadonlyMap<string, WrittenAttribute> {
  const own = new Map<string, WrittenAttribute>([
    ["CLASS", fixedText("DIMENSION_SCALE")],
    ["NAME", fixedText(name)],
  ]);
  if (uses.length === 0) return own;
  return own.set("REFERENCE_LIST", {
    type: {
      kind: "record",
      fields: [
        { name: "dataset", type: { kind: "reference" }, shape: [] },
        { name: "dimension", type: { kind: "int", bits: 32, signed: true }, shape: [] },
      ],
    },
    shape: [uses.length],
    values: {
      kind: "record",
      length: uses.length,
      fields: [
        { kind: "fixed", values: BigUint64Array.from(uses, ({ path }) => to(path)) },
        { kind: "fixed", values: Int32Array.from(uses, ({ axis }) => axis) },
      ],
    },
  });
}

/** Returns each dimension's list of scales, which contains one scale or none. */
function dimensionList(scales: readonly (string | null)[], to: (path: string) => bigint): WrittenAttribute {
  const offsets = new Int32Array(scales.length + 1);
  for (const [axis, scale] of scales.entries()) offsets[axis + 1] = offsets[axis] + (scale === null ? 0 : 1);
  const references = BigUint64Array.from(scales.flatMap((scale) => (scale === null ? [] : [to(scale)])));
  return {
    type: { kind: "sequence", item: { kind: "reference" } },
    shape: [scales.length],
    values: { kind: "sequence", offsets, values: { kind: "fixed", values: references } },
  };
}

/** Encodes fixed-width text with a final NUL, which is the only form of CLASS and NAME that all libraries accept. */
function fixedText(text: string): WrittenAttribute {
  const bytes = new TextEncoder().encode(text);
  const encoding = bytes.length === text.length ? "ascii" : "utf-8";
  return {
    type: { kind: "text", storage: { form: "fixed", encoding, width: bytes.length + 1, padding: "nullterm" } },
    shape: [],
    values: { kind: "variable", offsets: Int32Array.of(0, bytes.length), bytes },
  };
}

function joined(group: string, name: string): string {
  return group === "" ? name : `${group}/${name}`;
}

function isLinkName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]|\p{Surrogate}/u.test(name);
}

/** Whether a path is unused and an array can be added there. */
function isFree(path: string, taken: ReadonlySet<string>, arrays: ReadonlySet<string>): boolean {
  const parts = path.split("/");
  const isBelowArray = parts.some((_, depth) => depth > 0 && arrays.has(parts.slice(0, depth).join("/")));
  return parts.every(isLinkName) && !taken.has(path) && !isBelowArray;
}

function added<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
