/** What the fixtures' script wrote down of the reference implementation, and our tables in the same words. */

import { readFileSync } from "node:fs";
import type { Data } from "apache-arrow";
import { onTestFinished } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import type { Dataset, DataTable, TableMetadata } from "../../../src/model/dataset.js";
import { type Plain, plain } from "../../arrow/plain.js";

export interface ExpectedTable {
  readonly kind: string;
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
}

export const FIXTURES = "test/fixtures/data/anndata";

export function expectedOf(name: string): Readonly<Record<string, ExpectedTable>> {
  return JSON.parse(readFileSync(`${FIXTURES}/${name}.expected.json`, "utf8"));
}

/** Opens a fixture until the test ends. */
export async function openFixture(file: string, options: OpenOptions = {}): Promise<Dataset> {
  const data = await open(`${FIXTURES}/${file}`, options);
  onTestFinished(() => data.close());
  return data;
}

/** All tables of a dataset but the derived ones. */
export async function tablesOf(data: Dataset): Promise<Record<string, ExpectedTable>> {
  const all: [string, ExpectedTable][] = [];
  for (const [name, table] of data.tables) if (!table.derived) all.push([name, await tableOf(table)]);
  return Object.fromEntries(all);
}

export async function tableOf(table: DataTable): Promise<ExpectedTable> {
  const columns = Object.fromEntries(table.schema.fields.map(({ name }): [string, unknown[]] => [name, []]));
  for await (const batch of table.batches()) {
    batch.schema.fields.forEach(({ name }, i) => {
      const data = batch.data.children[i];
      for (let row = 0; row < batch.numRows; row++) columns[name].push(inWords(plain(data, row, numberAt)));
    });
  }
  return { kind: table.metadata.kind, columns };
}

/** The `annarrow` metadata of a field. */
export function fieldMetadata(table: DataTable, name: string): TableMetadata {
  const field = table.schema.fields.find((one) => one.name === name);
  return JSON.parse(field?.metadata.get("annarrow") ?? "{}");
}

/** Integers of 64 bits as text, as the script writes them. */
function inWords(value: Plain): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(inWords);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inWords(one)]));
  }
  return value;
}

/** Floats as numbers, and as text where JSON has none. */
function numberAt(values: Data["values"], i: number): number | string {
  const number = values instanceof Uint16Array ? half(values[i]) : values[i];
  if (Object.is(number, -0)) return "-0.0";
  return Number.isFinite(number) ? number : String(number);
}

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15, (bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return (sign === 1 ? -1 : 1) * (exponent < 31 ? size : fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN);
}
