/** The stores of test/fixtures/bpcells/make_fragments.py, stores that are made here, and tables as rows. */

import { readdirSync, readFileSync } from "node:fs";
import type { RecordBatch, Table } from "apache-arrow";
import type { Bp128Kind } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { packArray } from "../../kernels/bp128/pack-array.js";
import { numberFile, text } from "./stores.js";

const [page] = await createBp128Pages(1);

export const FRAGMENTS = "test/fixtures/data/fragments";

export interface FragmentColumns {
  readonly chr: readonly string[];
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly cell_id: readonly string[];
  readonly count?: readonly number[];
}

/** What the text of the fixtures says. */
export const expected: Required<FragmentColumns> = JSON.parse(readFileSync(`${FRAGMENTS}/expected.json`, "utf8"));

/** The files of a store, to be changed. */
export function fragmentFiles(store: string): Map<string, Uint8Array> {
  const folder = `${FRAGMENTS}/${store}`;
  return new Map(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(`${folder}/${name}`))]));
}

/** The columns of fragments as lists. */
export function columnsOf(table: Table | RecordBatch): Record<string, unknown[]> {
  const names = table.schema.fields.map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, [...(table.getChild(name) ?? [])]]));
}

/** Fragments of one chromosome. */
export interface Chromosome {
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly cell: readonly number[];
}

/** A store of chromosomes `c0`, `c1` …, one after another, and cells `0`, `1` …. */
export function makeStore(
  chromosomes: readonly Chromosome[],
  cells: number,
  packed: boolean,
  endMax: (at: number) => number = () => 0,
): Map<string, Uint8Array> {
  const all = (field: keyof Chromosome) => Uint32Array.from(chromosomes.flatMap((one) => [...one[field]]));
  const [start, end, cell] = [all("start"), all("end"), all("cell")];
  const pointers: bigint[] = [];
  let at = 0;
  for (const one of chromosomes) {
    pointers.push(BigInt(at), BigInt(at + one.start.length));
    at += one.start.length;
  }
  const files = new Map([
    ["version", text(`${packed ? "" : "un"}packed-fragments-v2\n`)],
    ["chr_names", text(chromosomes.map((_, i) => `c${i}\n`).join(""))],
    ["cell_names", text(Array.from({ length: cells }, (_, i) => `${i}\n`).join(""))],
    ["chr_ptr", numberFile("UINT64v1", BigUint64Array.from(pointers))],
    [
      "end_max",
      numberFile(
        "UINT32v1",
        Uint32Array.from({ length: Math.ceil(at / 128) }, (_, i) => endMax(i)),
      ),
    ],
  ]);
  const plain = { start, end, cell };
  if (!packed) {
    for (const [name, values] of Object.entries(plain)) files.set(name, numberFile("UINT32v1", values));
    return files;
  }
  const pack = (name: string, kind: Bp128Kind, values: Uint32Array) => {
    const { data, idx, starts, offsets } = packArray(page, kind, values);
    files.set(`${name}_data`, numberFile("UINT32v1", data));
    files.set(`${name}_idx`, numberFile("UINT32v1", idx));
    files.set(`${name}_idx_offsets`, numberFile("UINT64v1", offsets));
    if (kind === "d1") files.set(`${name}_starts`, numberFile("UINT32v1", starts));
  };
  pack("start", "d1", start);
  pack("cell", "plain", cell);
  pack(
    "end",
    "plain",
    end.map((value, i) => value - start[i]),
  );
  return files;
}
