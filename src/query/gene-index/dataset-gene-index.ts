/** The companion of an opened dataset. It is looked for and used when only a few positions of a matrix are read. */

import { waitUnlessAborted } from "../../io/sources/event-loop.js";
import type { ReadOptions, Source } from "../../io/sources/source.js";
import { findSparsePart } from "../../jobs/plan/matrix-plan.js";
import type { MinorEntries, SparsePlan, TablePlan } from "../../jobs/plan/plan.js";
import { once } from "../../kernels/values/once.js";
import { InvalidDataError, isAnnarrowError } from "../../model/errors.js";
import type { FoundGeneIndex } from "./companion.js";
import type { CopiedMatrix } from "./few-entries.js";
import { readSourceIdentity, type SourceIdentity } from "./identity.js";
import type { GeneIndexLocation } from "./location.js";
import {
  countCompanionBytes,
  encodeCompanionManifest,
  findCopiedType,
  formatCopiedType,
  type GeneIndexMatrix,
  MANIFEST,
} from "./manifest.js";

/** The state of a companion, for messages. */
export interface GeneIndexState {
  /** Path or URL of the companion's folder. */
  readonly name: string;
  /** Names of the matrices that are read from the companion. */
  readonly elements: readonly string[];
  readonly bytes: number;
  /** Reason why the companion is not used; null if it is used. */
  readonly problem: string | null;
}

type Usable = Exclude<FoundGeneIndex, { readonly problem: string }>;

export class DatasetGeneIndex {
  readonly #source: Source;
  readonly #places: readonly GeneIndexLocation[];
  readonly #found: () => Promise<readonly FoundGeneIndex[]>;
  readonly #opened: Usable[] = [];
  #isClosed = false;

  /** @param places locations where a companion may exist, in the order of the search. */
  constructor(source: Source, places: readonly GeneIndexLocation[]) {
    this.#source = source;
    this.#places = places;
    this.#found = once(() => this.#find());
  }

  /** Returns the identity of the dataset's file or folder; a text with the reason if there is no identity. */
  identity(options: ReadOptions = {}): Promise<SourceIdentity | string> {
    return readSourceIdentity(this.#source, options);
  }

  /** Returns the companion in use, otherwise the first one that cannot be used; null if there is none. */
  async state(): Promise<GeneIndexState | null> {
    const found = await this.#found();
    const used = found.find(isUsable);
    if (used !== undefined) {
      const { name, manifest } = used;
      const elements = manifest.matrices.map((matrix) => matrix.name);
      return { name, elements, bytes: countCompanionBytes(manifest), problem: null };
    }
    const [first] = found;
    if (first === undefined || isUsable(first)) return null;
    return { name: first.name, elements: [], bytes: 0, problem: first.problem };
  }

  /** Returns the companion's folder, and the order in which it stores a matrix; null if the matrix was not copied. */
  async copyOf(element: string): Promise<{ readonly name: string; readonly order: "row" | "column" } | null> {
    const used = (await this.#found()).find(isUsable);
    const matrix = used?.manifest.matrices.find(({ name }) => name === element);
    return used === undefined || matrix === undefined ? null : { name: used.name, order: matrix.order };
  }

  /** Returns a plan that reads few positions of a sparse matrix from the companion. Returns other plans unchanged. */
  planOf(table: TablePlan): TablePlan {
    const matrix = table.derived ? undefined : findSparsePart(table.plan)?.matrix;
    if (matrix === undefined || this.#places.length === 0 || findCopiedType(matrix.data.type) === null) return table;
    return { ...table, minorEntries: this.#entriesOf(matrix) };
  }

  #entriesOf(matrix: SparsePlan): MinorEntries {
    const found = this.#found;
    const copy = once(async () => {
      const used = (await found()).find(isUsable);
      const listed = used?.manifest.matrices.find(({ pointers }) => pointers === matrix.indptr.path);
      return used === undefined || listed === undefined ? null : copiedMatrix(used, listed, matrix);
    });
    const readFew = once(() => import("./few-entries.js"));
    return {
      of: matrix,
      prepare() {
        // `at` throws what fails here.
        void Promise.allSettled([copy(), readFew()]);
      },
      async at(positions, share, options) {
        const used = (await waitUnlessAborted(found(), options.signal)).find(isUsable);
        if (used === undefined) return null;
        return reading(used, async () => {
          const copied = await waitUnlessAborted(copy(), options.signal);
          if (copied === null) return null;
          const { planFewEntries } = await readFew();
          return planFewEntries(copied, positions, share, options);
        });
      },
    };
  }

  async #find(): Promise<readonly FoundGeneIndex[]> {
    if (this.#places.length === 0) return [];
    const { findCompanion } = await import("./companion.js");
    const identity = once(() => this.identity());
    const found: FoundGeneIndex[] = [];
    for (const place of this.#places) {
      const companion = await findCompanion(place, identity, {});
      if (companion === null) continue;
      found.push(companion);
      if (!isUsable(companion)) continue;
      this.#opened.push(companion);
      if (this.#isClosed) await companion.source.close();
      break;
    }
    return found;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { source } of this.#opened) await source.close();
  }
}

function isUsable(found: FoundGeneIndex): found is Usable {
  return "manifest" in found;
}

/** Opens the copy of a matrix; null if the copy belongs to another matrix. */
async function copiedMatrix(used: Usable, listed: GeneIndexMatrix, matrix: SparsePlan): Promise<CopiedMatrix | null> {
  const type = findCopiedType(matrix.data.type);
  const [rows, columns] = matrix.shape;
  const isSame =
    type !== null &&
    listed.shape[0] === rows &&
    listed.shape[1] === columns &&
    listed.nnz === matrix.nnz &&
    listed.order !== matrix.order &&
    listed.value === formatCopiedType(type);
  if (!isSame) return null;
  const { openCopy } = await import("./companion.js");
  return { matrix, copy: await openCopy(used, listed, {}), type, sorted: listed.sorted };
}

/**
 * Reads from a companion; null if the companion has been removed in the meantime.
 * @throws {InvalidDataError} if the companion is broken. The message explains how to work without it..
 */
async function reading<T>({ name, manifest, source }: Usable, read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidDataError", "NotFoundError")) throw error;
    const present = await source.get(MANIFEST).catch(() => undefined);
    if (present === undefined || new TextDecoder().decode(present) !== encodeCompanionManifest(manifest)) return null;
    const { element, problem } = error;
    throw new InvalidDataError(
      `the companion is broken: ${problem}; remove it (annarrow index --remove), or read without it (companion: "off")`,
      { source: name, cause: error, element },
    );
  }
}
