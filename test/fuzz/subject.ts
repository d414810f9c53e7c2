/** One file under test: what reading it undamaged gives, and what reading a mutation of it does. */

import type { FileFormat } from "../../src/api/write.js";
import { mapSource } from "../../src/io/sources/map.js";
import { createBytesSource } from "../../src/io/sources/memory.js";
import type { ByteSource, KeyValueSource } from "../../src/io/sources/source.js";
import { readZipDirectory } from "../../src/io/sources/zip-directory.js";
import type { Mutation, Stretch } from "./change.js";
import { type Checksummed, checksummedInHdf5, checksummedInZarr, isProtected, mend, overlap } from "./checksums.js";
import { readConverted, targetsOf } from "./converted.js";
import type { FuzzFile } from "./corpus.js";
import type { Structure } from "./fields.js";
import { arrowFields, parquetFields, rFields, wordFields, zipFields } from "./format-fields.js";
import { hdf5Fields } from "./hdf5-fields.js";
import { mutate, type Target } from "./mutate.js";
import { Random } from "./random.js";
import { noReading, type Reading, readContainer, readDataset } from "./read-everything.js";
import { defectOf } from "./verdict.js";

export type Outcome = "error" | "same" | "other";

export interface Result {
  readonly outcome: Outcome;
  /** What must not be. */
  readonly defects: readonly string[];
  readonly description: string;
}

/** Bytes of one file or one value of a store. */
interface Part extends Target {
  readonly key: string | null;
  readonly checksummed: readonly Checksummed[];
  /** Stretches of which any change must be noticed. */
  readonly noticed: readonly Stretch[];
  /** The reads of each node, for those who read but some. */
  readonly nodes: ReadonlyMap<string, readonly Stretch[]>;
}

/** Nodes that are read where not all are. */
const SOME_NODES = 10;

/** Nodes of a file of which it is known where they lie. */
const MAX_NODES_TRACED = 100;

/** What reading the undamaged file gives. */
interface Before {
  readonly container: Reading;
  readonly dataset: Reading | null;
  /** And what a conversion to each of the formats gives that it is converted to. */
  readonly converted: readonly (readonly [to: FileFormat, Reading])[];
}

export class Subject {
  readonly #file: FuzzFile;
  readonly #parts: readonly Part[];
  readonly #paths: readonly string[];
  readonly #before: Before;
  /** What is wrong already without a mutation. */
  readonly defects: ReadonlySet<string>;

  private constructor(file: FuzzFile, parts: readonly Part[], paths: readonly string[], before: Before) {
    this.#file = file;
    this.#parts = parts;
    this.#paths = paths;
    this.#before = before;
    this.defects = new Set(
      [before.container, before.dataset, ...before.converted.map(([, reading]) => reading)].flatMap((reading) =>
        reading ? defectsOf(reading) : [],
      ),
    );
  }

  static async of(file: FuzzFile): Promise<Subject> {
    const container = file.kind === "table" ? noReading() : await readContainer(sourceOf(file));
    const dataset = file.datasets ? await readDataset(file.kind === "store" ? file.values : file.bytes, true) : null;
    const converted: [FileFormat, Reading][] = [];
    if (file.kind === "hdf5") {
      const format = dataset?.found.get("")?.split(" ")[0] ?? "";
      for (const to of targetsOf(format)) converted.push([to, await readConverted(file.bytes, to)]);
    }
    const paths = [...container.found.keys()].filter((path) => path !== "" && !path.startsWith("children of "));
    const parts = file.kind === "store" ? await storeParts(file) : [await bytesPart(file, paths)];
    return new Subject(file, parts, paths, { container, dataset, converted });
  }

  async run(seed: number, number: number): Promise<Result> {
    const random = new Random(seed, this.#file.name, number);
    const part = random.pick(this.#parts);
    const mutation = mutate(part, random);
    const mended = mutation.inPlace && part.checksummed.length > 0 && random.chance(0.7);
    if (mended) mend(mutation.bytes, part.checksummed, mutation.changed);
    const [what, before, read] = this.#way(part, mutation, random);
    const reading = await read();
    const known = new Set(failuresOf(before));
    const failed = failuresOf(reading).some((failure) => !known.has(failure));
    const other = [...reading.found].some(([path, found]) => before.found.get(path) !== found);
    const outcome = failed ? "error" : other ? "other" : "same";
    const defects = defectsOf(reading).filter((defect) => !this.defects.has(defect));
    const { inPlace, wholeStructures, changed } = mutation;
    // A conversion leaves out with a warning what cannot be read.
    const isConverted = what.startsWith("as ");
    const noticed = !mended && !isConverted && inPlace && !wholeStructures && isProtected(part.noticed, changed);
    if (outcome === "other" && noticed) {
      const [path] = [...reading.found].find(([at, found]) => before.found.get(at) !== found) ?? [];
      defects.push(`other values in spite of checksums: ${path}`);
    }
    const where = part.key === null ? "" : `${part.key}: `;
    return { outcome, defects, description: `${where}${mutation.description}${mended ? ", mended" : ""} (${what})` };
  }

  /** What is read: the nodes, the tables, or the tables of what the file is converted to. */
  #way(
    part: Part,
    mutation: Mutation,
    random: Random,
  ): readonly [what: string, before: Reading, read: () => Promise<Reading>] {
    const { container, dataset, converted } = this.#before;
    const tables = random.chance(0.5);
    const whole = random.chance(0.15);
    if (dataset === null || (!tables && this.#file.kind !== "table")) {
      return ["nodes", container, () => this.#readContainer(part, mutation, whole, random)];
    }
    if (converted.length > 0 && random.chance(0.3)) {
      const [to, before] = random.pick(converted);
      return [`as ${to}`, before, () => readConverted(mutation.bytes, to)];
    }
    return ["tables", dataset, () => readDataset(this.#input(part, mutation.bytes), whole)];
  }

  #input(part: Part, bytes: Uint8Array): Uint8Array | ReadonlyMap<string, Uint8Array> {
    const file = this.#file;
    return file.kind === "store" && part.key !== null ? new Map(file.values).set(part.key, bytes) : bytes;
  }

  async #readContainer(part: Part, mutation: Mutation, whole: boolean, random: Random): Promise<Reading> {
    const file = this.#file;
    if (file.kind !== "store" || part.key === null) {
      const only = whole ? undefined : ancestors(this.#affected(part, mutation, random));
      return readContainer(createBytesSource(mutation.bytes), only);
    }
    // Only what lies beside the value, with the documents on the way to it.
    const folder = topFolder(part.key);
    const values = new Map<string, Uint8Array>();
    for (const [key, value] of file.values) {
      if (whole || topFolder(key) === folder || !key.includes("/")) values.set(key, value);
    }
    values.set(part.key, mutation.bytes);
    const only = whole || folder === "" ? undefined : new Set(this.#paths.filter((path) => topFolder(path) === folder));
    return readContainer(mapSource(values), only);
  }

  #affected({ nodes }: Part, { changed, inPlace }: Mutation, random: Random): string[] {
    const hit = [...nodes].filter(([, reads]) =>
      reads.some((read) =>
        changed.some((change) => overlap(read, inPlace ? change : { ...change, end: change.start + 1 })),
      ),
    );
    const paths = hit.map(([path]) => path);
    const some = Array.from({ length: Math.min(SOME_NODES, paths.length) }, () => random.pick(paths));
    return [...some, random.pick(this.#paths), random.pick(this.#paths)];
  }
}

function topFolder(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}

/** The paths, and those above them. */
function ancestors(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    if (path === undefined) continue;
    const names = path.split("/");
    for (let i = 1; i <= names.length; i++) all.add(names.slice(0, i).join("/"));
  }
  return all;
}

function defectsOf({ errors, wrong }: Reading): string[] {
  return [...errors.flatMap((error) => defectOf(error) ?? []), ...wrong];
}

function failuresOf({ errors, unreadable }: Reading): string[] {
  return [...errors.map(String), ...unreadable];
}

function sourceOf(file: FuzzFile): ByteSource | KeyValueSource {
  return file.kind === "store" ? mapSource(file.values) : createBytesSource(file.bytes);
}

async function bytesPart(file: Exclude<FuzzFile, { kind: "store" }>, paths: readonly string[]): Promise<Part> {
  const { bytes } = file;
  const reads: Stretch[] = [];
  if (file.kind !== "table") await readContainer(recorded(createBytesSource(bytes), reads));
  const nodes = new Map<string, Stretch[]>();
  const step = Math.ceil(paths.length / MAX_NODES_TRACED);
  for (const path of paths.filter((_, i) => i % step === 0)) {
    // An R object is read from beginning to end, whichever of its nodes is wanted.
    const own: Stretch[] = file.kind === "rds" ? reads : [];
    if (file.kind !== "rds") await readContainer(recorded(createBytesSource(bytes), own), ancestors([path]));
    nodes.set(path, own);
  }
  const addresses = [...new Set(reads.map(({ start }) => start))];
  const part = { bytes, reads, addresses, key: null, checksummed: [], noticed: [], nodes };
  if (file.kind === "hdf5") {
    const checksummed = checksummedInHdf5(bytes, reads);
    return { ...part, checksummed, noticed: checksummed, structure: hdf5Fields(bytes, addresses) };
  }
  if (file.kind === "rds") return { ...part, structure: rFields(bytes) };
  if (file.kind === "table") return { ...part, structure: tableFields(bytes) };
  const deflated = (await readZipDirectory(createBytesSource(bytes))).filter(({ method }) => method === 8);
  const noticed = deflated.map(({ header, compressed }) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + header, 30);
    const start = header + 30 + view.getUint16(26, true) + view.getUint16(28, true);
    return { start, end: start + compressed };
  });
  return { ...part, noticed, structure: zipFields(bytes) };
}

function tableFields(bytes: Uint8Array): Structure {
  return bytes[0] === 0x50 ? parquetFields(bytes) : arrowFields(bytes);
}

function recorded(source: ByteSource, reads: Stretch[]): ByteSource {
  return {
    ...source,
    read(start, end, options) {
      reads.push({ start, end });
      return source.read(start, end, options);
    },
  };
}

async function storeParts(file: Extract<FuzzFile, { kind: "store" }>): Promise<Part[]> {
  const reads = new Map<string, Stretch[]>();
  const plain = mapSource(file.values);
  const source: KeyValueSource = {
    ...plain,
    async getRanges(key, ranges, options) {
      const size = file.values.get(key)?.length ?? 0;
      const own = reads.get(key) ?? [];
      reads.set(key, own);
      for (const range of ranges) {
        const start = "suffix" in range ? Math.max(0, size - range.suffix) : range.start;
        own.push({ start, end: "suffix" in range ? size : Math.min(range.end, size) });
      }
      return await plain.getRanges(key, ranges, options);
    },
  };
  await readContainer(source);
  return [...file.values]
    .filter(([key, value]) => value.length > 0 && !key.endsWith(".zmetadata"))
    .map(([key, bytes]) => {
      const own = reads.get(key) ?? [];
      const checksummed = checksummedInZarr(bytes, own);
      const addresses = own.flatMap(({ start, end }) => [start, end, end - start]);
      const structure = wordFields(bytes);
      return { key, bytes, reads: own, addresses, checksummed, noticed: checksummed, nodes: new Map(), structure };
    });
}
