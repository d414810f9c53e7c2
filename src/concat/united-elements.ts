/** The elements of the result, by their kinds: the frames of both axes, matrices, elements along an axis, blocks of pairs. */

import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { type Axis, otherAxis, type Part } from "./aligned-parts.js";
import type { MissingIntegers } from "./frame-columns.js";
import { type ConcatFrameOptions, concatFrames, type FramePart, unnamedFrame } from "./frames.js";
import type { AxisNames, Join } from "./joined-names.js";
import { concatMatrix } from "./matrices.js";
import { type MergeStrategy, mergedAcross } from "./merged.js";
import { concatRagged, isRagged } from "./ragged-elements.js";
import { tableOfWhole, wholeFrame } from "./whole-tables.js";

export interface ConcatTablesOptions {
  readonly axis: Axis;
  readonly join: Join;
  readonly merge: MergeStrategy | null;
  readonly unsMerge: MergeStrategy | null;
  readonly label: string | null;
  /** A key for each dataset. */
  readonly keys: readonly string[];
  readonly indexUnique: string | null;
  readonly fillValue: number | null;
  readonly missingIntegers: MissingIntegers;
  readonly pairwise: boolean;
  readonly lossy: boolean;
  readonly signal: AbortSignal | undefined;
}

export type Warn = (text: string) => void;

/** The datasets along one pair of axes, and what their elements become. */
export interface Union extends ConcatTablesOptions {
  /** Whether these are the datasets themselves, or their raw matrices. */
  readonly prefix: "" | "raw/";
  readonly parts: readonly Part[];
  /** The names of the other axis. */
  readonly joined: AxisNames;
  /** The name of the other axis' index. */
  readonly index: string;
  /** The length of all datasets together. */
  readonly length: number;
  readonly warn: Warn;
}

type NamedTables = Promise<readonly (readonly [name: string, table: ColumnTable])[]>;

/** The frame of the axis along which the datasets follow each other. */
export function frameOfAxis(union: Union): Promise<ColumnTable> {
  const { axis, prefix, label, keys } = union;
  return concatFrames(framesOfAxis(union), {
    ...frameOptions(union, `${prefix}${axis}`),
    label: label === null ? null : { name: label, keys },
  });
}

function framesOfAxis({ axis, parts, indexUnique, keys }: Union): readonly FramePart[] {
  return parts.map(({ source, tables, length }, i) => ({
    source,
    frame: tables.get(axis) ?? unnamedFrame(axis, length),
    suffix: indexUnique === null ? "" : `${indexUnique}${keys[i]}`,
  }));
}

function frameOptions(union: Union, name: string): ConcatFrameOptions {
  const { join, lossy, missingIntegers, signal, warn } = union;
  return { name, join, lossy, missingIntegers, signal, warn, label: null };
}

/** The frame of the other axis, and what is merged of the elements along it. */
export async function tablesAcross(union: Union): NamedTables {
  const { axis, prefix, parts, joined, index, merge, missingIntegers, lossy, signal } = union;
  const other = otherAxis(axis);
  const across = `${prefix}${other}`;
  if (merge === null) return [[across, tableOfWhole(across, wholeFrame(index, joined, []))]];
  return [...(await mergedAcross(parts, { axis: other, joined, index, merge, missingIntegers, lossy, signal }))];
}

/** `X` and the layers. */
export async function mainMatrices(union: Union): NamedTables {
  const { axis, joined } = union;
  const along = axis === "obs" ? 0 : 1;
  return eachElement(
    union,
    (name) => name === "X" || name.startsWith("layers/"),
    async (name, own) => {
      const matrices = withTables(union, own);
      return concatMatrix(matrices, { ...union, name, along, across: joined.length, form: "any" });
    },
  );
}

/** The elements with a row for each position along the axis: `obsm`, or `varm`. */
export async function elementsAlong(union: Union): NamedTables {
  const frames = framesOfAxis(union);
  return eachElement(
    union,
    (name) => name.startsWith(`${union.axis}m/`),
    async (name, own) => {
      const parts = withTables(union, own);
      if (areFrames(parts, name)) {
        const below = parts.map(({ table }, i) => ({ ...frames[i], frame: table ?? onlyIndex(frames[i].frame) }));
        return concatFrames(below, frameOptions(union, name));
      }
      if (parts.some(({ table }) => table !== null && isRagged(table))) return concatRagged(parts, { ...union, name });
      const widths = parts.flatMap(({ table }) => (table === null ? [] : [columnsOf(table)]));
      const width = union.join === "inner" ? Math.min(...widths) : Math.max(...widths);
      const matrices = parts.map((part) => {
        const across = part.table === null ? 0 : columnsOf(part.table);
        return { ...part, across, places: across === width ? null : firstPlaces(across, width) };
      });
      return concatMatrix(matrices, { ...union, name, along: 0, across: width, form: "any" });
    },
  );
}

/** Whether an element is a frame in all datasets that have it. @throws {InvalidInputError} where it is one in some. */
function areFrames(parts: readonly PartWithTable[], element: string): boolean {
  const find = (isFrame: boolean) =>
    parts.find(({ table }) => table !== null && (table.metadata?.kind === "dataframe") === isFrame);
  const [frame, matrix] = [find(true), find(false)];
  if (frame !== undefined && matrix !== undefined) {
    const problem = `it is a dataframe here, in ${matrix.source} a matrix, which are not put together`;
    throw new InvalidInputError(problem, { source: frame.source, element });
  }
  return frame !== undefined;
}

/** The matrices between positions along the axis (`obsp`, or `varp`), as blocks along the diagonal. */
export async function blocks(union: Union): NamedTables {
  return eachElement(
    union,
    (name) => name.startsWith(`${union.axis}p/`),
    async (name, own) => {
      let first = 0;
      const parts = withTables(union, own).map((part) => {
        const start = first;
        first += part.length;
        const places = Int32Array.from({ length: part.length }, (_, i) => start + i);
        return { ...part, across: part.length, places };
      });
      return concatMatrix(parts, { ...union, name, along: 0, across: union.length, form: "blocks" });
    },
  );
}

/**
 * Makes the elements that all datasets have, or any, in the order in which they come first.
 * @param make gets the name in the result, and the name in the datasets.
 */
async function eachElement(
  { parts, join, prefix }: Union,
  isWanted: (name: string) => boolean,
  make: (name: string, own: string) => Promise<ColumnTable>,
): NamedTables {
  const leaves = ({ tables }: Part) =>
    [...tables].flatMap(([name, { derived }]) => (derived || !isWanted(name) ? [] : [name]));
  const made: (readonly [string, ColumnTable])[] = [];
  for (const own of new Set(parts.flatMap(leaves))) {
    if (join === "inner" && !parts.every(({ tables }) => tables.has(own))) continue;
    made.push([`${prefix}${own}`, await make(`${prefix}${own}`, own)]);
  }
  return made;
}

type PartWithTable = Part & { readonly table: ColumnTable | null };

function withTables({ parts }: Union, name: string): readonly PartWithTable[] {
  return parts.map((part) => ({ ...part, table: part.tables.get(name) ?? null }));
}

/** The frame without its columns. */
export function onlyIndex(frame: ColumnTable): ColumnTable {
  const index = frame.fields.findIndex(({ name }) => name === frame.metadata?.index);
  return index < 0 ? frame : (frame.only?.([index]) ?? frame);
}

/** The number of columns of a matrix. */
function columnsOf(table: ColumnTable): number {
  const width = table.metadata?.shape?.[1];
  if (width !== undefined) return width;
  const type = table.fields[0]?.type;
  return type?.id === "FixedSizeList" ? type.size : 0;
}

/** Keeps the first `width` of `count` columns at their places, and leaves the others out (-1). */
function firstPlaces(count: number, width: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => (i < width ? i : -1));
}
