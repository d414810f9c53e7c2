import { readFileSync } from "node:fs";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { AttributeValue, Container, Node, StoredArray } from "../../../src/containers/tree/container.js";
import type { ByteSource } from "../../../src/io/sources/source.js";
import { decodeFloat16 } from "../../../src/kernels/values/number-bits.js";
import type { StoredType, StoredValues } from "../../../src/model/stored.js";

const FOLDER = "test/fixtures/data/hdf5";

/** What make_hdf5.py wrote beside a file: what h5py reads from it. */
export interface Expected {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly shape?: readonly number[] | null;
  readonly values?: unknown;
}

export function expected(name: string): [string, Expected][] {
  return Object.entries(JSON.parse(readFileSync(`${FOLDER}/${name}.json`, "utf8")));
}

export function bytesSource(bytes: Uint8Array, name = "bytes"): ByteSource {
  return {
    kind: "bytes",
    name,
    size: bytes.length,
    read: async (start, end) => {
      if (start < 0 || end > bytes.length) throw new Error(`read ${start} to ${end} of ${bytes.length}`);
      return bytes.subarray(start, end);
    },
    close: async () => undefined,
  };
}

export function fixtureBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`${FOLDER}/${name}.h5`));
}

export type Way = "in memory" | "in place";

export async function openFixture(name: string, way: Way = "in memory"): Promise<Container> {
  const path = `${FOLDER}/${name}.h5`;
  return openHdf5(bytesSource(fixtureBytes(name), `${name}.h5`), way === "in place" ? path : undefined);
}

export async function openPath(container: Container, path: string): Promise<Node> {
  let node: Node = container.root;
  for (const name of path === "" ? [] : path.split("/")) {
    if (node.kind !== "group") throw new Error(`${node.path} is no group`);
    node = await node.open(name);
  }
  return node;
}

export async function openArray(container: Container, path: string): Promise<StoredArray> {
  const node = await openPath(container, path);
  if (node.kind !== "array") throw new Error(`${path} is no array`);
  return node;
}

export function rowsOf(array: StoredArray): number {
  return array.shape === null ? 0 : array.shape.length === 0 ? 1 : array.shape[0];
}

/** Values in the form of make_hdf5.py: flat lists, a record as one list per field. */
export function flat(type: StoredType, values: StoredValues): unknown {
  switch (values.kind) {
    case "record":
      return values.fields.map((field, i) => flat(type.kind === "record" ? type.fields[i].type : type, field));
    case "variable": {
      const text = new TextDecoder("utf-8", { fatal: true });
      return Array.from({ length: values.offsets.length - 1 }, (_, i) =>
        text.decode(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])),
      );
    }
    case "fixed":
      return Array.from<number | bigint, unknown>(values.values, (value) =>
        json(type.kind === "float" && type.bits === 16 ? decodeFloat16(Number(value)) : value),
      );
  }
}

/** Values of successive reads of `step` rows, in the form of `flat`. */
export async function flatInSteps(array: StoredArray, step: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let start = 0; start < rowsOf(array); start += step) {
    const part = flat(array.type, await array.read(start, Math.min(start + step, rowsOf(array))));
    if (Array.isArray(part)) all.push(...part);
  }
  return all;
}

function json(value: number | bigint): unknown {
  if (typeof value === "bigint") {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : `${value}n`;
  }
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** An attribute in the form of make_hdf5.py. */
export function plain(value: AttributeValue): unknown {
  if (typeof value === "bigint" || typeof value === "number") return json(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if ("kind" in value && value.kind === "reference") return { reference: true };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
