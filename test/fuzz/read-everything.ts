/** Reads whatever a file lets itself be read, in bounded parts, and checks the form of what comes. */

import "../../packages/published/src/register.js";
import { createHash } from "node:crypto";
import { type Data, DataType, type RecordBatch } from "apache-arrow";
import { open } from "../../src/api/open.node.js";
import { openContainer } from "../../src/containers/open/open-container.js";
import type { AttributeValue, Container, Group, Reference, StoredArray } from "../../src/containers/tree/container.js";
import type { Source } from "../../src/io/sources/source.js";
import type { BatchOptions, DataTable } from "../../src/model/dataset.js";
import { countElements, getDecodedSize } from "../../src/model/stored.js";
import { memoryOf, unsound } from "./sound-values.js";

export interface Reading {
  /** What was read: a fingerprint of type, shape and values by path. */
  readonly found: Map<string, string>;
  /** What was thrown, by anything. */
  readonly errors: unknown[];
  /** Elements that name a reason instead of a value. */
  readonly unreadable: string[];
  /** Values that contradict their own description. */
  readonly wrong: string[];
}

const MAX_NODES = 400;
const MAX_TABLES = 60;
const MAX_BATCHES = 12;

/** Values of one range that is read. */
const RANGE_BYTES = 1 << 17;

/** Larger rows are the caller's own choice. */
const MAX_ROW_BYTES = 1 << 24;

/** Longer reads are stopped, which has to end them. */
const PATIENCE_MS = 1000;

export function noReading(): Reading {
  return { found: new Map(), errors: [], unreadable: [], wrong: [] };
}

/** @param only paths of the nodes that are read, with those on the way to them; all by default. */
export async function readContainer(source: Source, only?: ReadonlySet<string>): Promise<Reading> {
  const reading = noReading();
  const attempt = attempts(reading);
  await attempt(async () => {
    const container = await openContainer(source);
    try {
      const seen = new Set<string>();
      const groups: Group[] = [container.root];
      for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
        const { path } = group;
        if (seen.has(group.id) || seen.size > MAX_NODES) continue;
        seen.add(group.id);
        await readAttributes(reading, container, group);
        const from = group;
        await attempt(async () => {
          const names = await from.keys();
          if (only === undefined) reading.found.set(`children of ${path}`, names.join());
          let opened = 0;
          for (const name of names) {
            const child = path === "" ? name : `${path}/${name}`;
            if (only !== undefined && !only.has(child)) continue;
            if (++opened > MAX_NODES) return;
            await attempt(async () => {
              const node = await from.open(name);
              if (node.kind === "group") groups.push(node);
              else await readArray(reading, container, node);
            });
          }
        });
      }
    } finally {
      await container.close();
    }
  });
  return reading;
}

async function readArray(reading: Reading, container: Container, array: StoredArray): Promise<void> {
  await readAttributes(reading, container, array);
  const { shape, type, path } = array;
  const description = `${JSON.stringify(type, bigintText)} ${shape?.join("x")} ${reading.found.get(path)}`;
  reading.found.set(path, description);
  if (shape === null || type.kind === "unsupported") return;
  const rows = shape.length === 0 ? 1 : shape[0];
  const each = countElements(shape.slice(1));
  const rowBytes = each * (getDecodedSize(type) ?? 16);
  if (rowBytes > MAX_ROW_BYTES) return;
  const some = Math.min(rows, Math.max(1, Math.floor(RANGE_BYTES / Math.max(1, rowBytes))));
  const hash = createHash("md5");
  for (const [start, end] of some < rows
    ? [
        [0, some],
        [rows - 1, rows],
      ]
    : [[0, rows]]) {
    const values = await array.read(start, end);
    const wrong = unsound(type, values, (end - start) * each);
    if (wrong !== null) reading.wrong.push(`${path}: ${wrong}`);
    for (const part of memoryOf(values)) hash.update(part);
    if (array.readInto !== undefined && values.kind === "fixed") {
      const { buffer, byteOffset, byteLength } = values.values;
      const target = new Uint8Array(byteLength).fill(0xa5);
      await array.readInto(start, end, target);
      if (Buffer.compare(target, new Uint8Array(buffer, byteOffset, byteLength)) !== 0) {
        reading.wrong.push(`${path}: readInto gives other values than read`);
      }
    }
    if (values.kind === "fixed" && type.kind === "reference" && values.values instanceof BigUint64Array) {
      const bytes = new Uint8Array(values.values.slice(0, 3).buffer);
      for (let at = 0; at < bytes.length; at += 8) {
        const reference: Reference = { kind: "reference", bytes: bytes.subarray(at, at + 8) };
        await attempts(reading)(async () => void (await container.dereference(reference)));
      }
    }
  }
  reading.found.set(path, `${description} ${hash.digest("hex")}`);
}

async function readAttributes(reading: Reading, container: Container, { path, attributes }: Group | StoredArray) {
  for (const [name, value] of attributes) {
    for (const found of leaves(value)) {
      if (found === null || typeof found !== "object" || !("kind" in found)) continue;
      if (found.kind === "unreadable") reading.unreadable.push(`${path} @${name}`);
      if (isReference(found)) await attempts(reading)(async () => void (await container.dereference(found)));
    }
  }
  const text = JSON.stringify([...attributes], bigintText);
  reading.found.set(path, createHash("md5").update(text).digest("hex"));
}

function isReference(value: object): value is Reference {
  return "kind" in value && value.kind === "reference" && "bytes" in value && value.bytes instanceof Uint8Array;
}

/** A few of the values that a value consists of. */
function leaves(value: AttributeValue): AttributeValue[] {
  if (Array.isArray(value)) return value.slice(0, 4).flatMap(leaves);
  return [value];
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/**
 * All tables of an annotated matrix.
 * @param layouts whether in all layouts, and some entries of sparse matrices by position, too.
 */
export async function readDataset(
  input: Uint8Array | ReadonlyMap<string, Uint8Array>,
  layouts: boolean,
): Promise<Reading> {
  const reading = noReading();
  const attempt = attempts(reading);
  await attempt(async () => {
    const dataset = await open(input);
    try {
      reading.found.set("", `${dataset.format} ${dataset.version} ${dataset.shape} ${dataset.warnings}`);
      // One by one: as arguments, 200,000 of them are more than the stack holds.
      for (const failure of dataset.failures.values()) reading.errors.push(failure);
      for (const [name, table] of [...dataset.tables].slice(0, MAX_TABLES)) {
        await attempt(async () => {
          const hash = createHash("md5");
          hash.update(`${table.schema}${[...table.schema.metadata]}${table.rows}`);
          let rows = 0;
          let batches = 0;
          let bytes = 0;
          const bound = table.rows === null || table.rows < 1e5 ? {} : { rows: [0, 1e5] as const };
          for await (const batch of table.batches({ ...bound, batchBytes: 1 << 18 })) {
            checkBatch(reading, name, batch, (part) => {
              bytes += part.length;
              hash.update(part);
            });
            rows += batch.numRows;
            if (++batches === MAX_BATCHES || bytes > MAX_ROW_BYTES) break;
          }
          if (
            batches < MAX_BATCHES &&
            bytes <= MAX_ROW_BYTES &&
            table.rows !== null &&
            rows !== Math.min(1e5, table.rows)
          ) {
            reading.wrong.push(`${name}: ${rows} rows come, ${table.rows} are promised`);
          }
          reading.found.set(name, hash.digest("hex"));
        });
        if (layouts) await readOtherwise(reading, table);
      }
    } finally {
      await dataset.close();
    }
  });
  return reading;
}

/** Some batches, as many as come in time: which rows are not zero, all of a declared shape has to be looked through for. */
async function readSome(reading: Reading, table: DataTable, options: BatchOptions): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  await attempts(reading)(async () => {
    let batches = 0;
    try {
      for await (const batch of table.batches({ ...options, signal, batchBytes: 1 << 18 })) {
        checkBatch(reading, table.name, batch, () => undefined);
        if (++batches === MAX_BATCHES) break;
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    }
  });
}

async function readOtherwise(reading: Reading, table: DataTable): Promise<void> {
  for (const layout of table.layouts.slice(1)) {
    await attempts(reading)(async () => readSome(reading, await table.layout(layout), {}));
  }
  if (table.layouts[0] !== "coordinate" || !table.layouts.includes("list")) return;
  await readSome(reading, table, { where: { row: [1, 0] } });
  await readSome(reading, table, { where: { col: [0, 2] } });
}

function checkBatch(reading: Reading, name: string, batch: RecordBatch, use: (part: Uint8Array) => void): void {
  for (const [i, child] of batch.data.children.entries()) {
    const wrong = child.length === batch.numRows ? unsoundData(child, use) : `${child.length} of ${batch.numRows} rows`;
    if (wrong !== null) reading.wrong.push(`${name}, column ${batch.schema.fields[i].name}: ${wrong}`);
  }
}

function unsoundData(data: Data, use: (part: Uint8Array) => void): string | null {
  const { length, offset, valueOffsets, values, nullBitmap, dictionary, children } = data;
  for (const part of [valueOffsets, values, nullBitmap]) {
    if (part !== undefined) use(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }
  if (nullBitmap?.length > 0 && nullBitmap.length * 8 < offset + length) return `bitmap of ${nullBitmap.length} bytes`;
  if (DataType.isUnion(data.type)) {
    const isDense = valueOffsets?.length > 0;
    if (isDense && valueOffsets.length < length) return `${valueOffsets.length} offsets for ${length} values`;
    for (let i = 0; i < length; i++) {
      const child = children[data.type.typeIdToChildIndex[data.typeIds[i]]];
      const at = isDense ? valueOffsets[i] : i;
      if (!(at >= 0 && at < child?.length)) return `value ${at} of ${child?.length}`;
    }
  } else if (valueOffsets?.length > 0) {
    if (valueOffsets.length < length + 1) return `${valueOffsets.length} offsets for ${length} values`;
    for (let i = 0; i < length; i++) if (valueOffsets[i] > valueOffsets[i + 1]) return `offset ${i + 1} falls`;
    const size = children.length > 0 ? children[0].length : (values?.length ?? 0);
    if (valueOffsets[0] < 0 || valueOffsets[length] > size) return `offsets to ${valueOffsets[length]} of ${size}`;
  }
  if (dictionary !== undefined && dictionary !== null) {
    const codes: ArrayLike<number> = values;
    for (let i = 0; i < length; i++) {
      if (data.getValid(i) && !(codes[i] >= 0 && codes[i] < dictionary.length)) {
        return `code ${codes[i]} of ${dictionary.length} categories`;
      }
    }
    for (const part of dictionary.data) {
      const wrong = unsoundData(part, use);
      if (wrong !== null) return `dictionary: ${wrong}`;
    }
  }
  for (const child of children) {
    const wrong = unsoundData(child, use);
    if (wrong !== null) return wrong;
  }
  return null;
}

function attempts({ errors }: Reading): (action: () => Promise<void>) => Promise<void> {
  return async (action) => {
    try {
      await action();
    } catch (error) {
      errors.push(error);
    }
  };
}
