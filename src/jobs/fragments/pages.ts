/** Fragments whose arrays are all packed: unpacked side by side, page by page. */

import { Bp128Array } from "../../containers/bp128/bp128-array.js";
import type { Unpacker } from "../../containers/bp128/packed-integers.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../../kernels/bp128/page.js";
import { bp128Pages } from "../../kernels/bp128/pages.js";
import type { ReadOptions } from "../../sources/source.js";
import type { FragmentsPlan } from "../plan/plan.js";

/** Three pages in one memory: ends are added where they lie. */
type Pages = readonly [start: Bp128Page, end: Bp128Page, cell: Bp128Page];

/** Those that nobody uses; more are made where more fragments are read at the same time. */
const free: Pages[] = [];
const MOST_FREE = 2;

/** A page of fragments: starts, ends and cells, each as long as the range that was loaded. */
export interface FragmentPageValues {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly cells: Uint32Array;
  /** Whether no start is less than the one before it. */
  readonly rises: boolean;
}

export class FragmentPages {
  readonly #pages: Pages;
  readonly #unpackers: readonly Unpacker[];

  private constructor(pages: Pages, unpackers: readonly Unpacker[]) {
    this.#pages = pages;
    this.#unpackers = unpackers;
  }

  /** Null where the arrays are not all packed, or the cells are not checked as they are unpacked. */
  static async of({ start, end, cell, endIsLength, cellNames }: FragmentsPlan): Promise<FragmentPages | null> {
    const arePacked = start instanceof Bp128Array && end instanceof Bp128Array && cell instanceof Bp128Array;
    const names = cellNames.shape?.[0] ?? 0;
    if (!arePacked || !endIsLength || cell.limit === null || cell.limit > names) return null;
    const pages = free.pop() ?? (await newPages());
    const [startPage, endPage, cellPage] = pages;
    return new FragmentPages(pages, [start.unpacker(startPage), end.unpacker(endPage), cell.unpacker(cellPage)]);
  }

  /** Where a page that begins with `at` has its end, `end` at most. */
  static stop(at: number, end: number): number {
    return Math.min(end, at - (at % CHUNK) + PAGE_VALUES);
  }

  /** The fragments [from, to), no more than `stop` says; until the next call. */
  async load(from: number, to: number, options: ReadOptions): Promise<FragmentPageValues> {
    for (const unpacker of this.#unpackers) {
      if (!unpacker.loadNow(from, to)) await unpacker.load(from, to, options);
    }
    const base = from - (from % CHUNK);
    const [start, end, cell] = this.#pages;
    end.add(start, to - base);
    const values = (page: Bp128Page) => page.values.subarray(from - base, to - base);
    return { starts: values(start), ends: values(end), cells: values(cell), rises: !start.falls(to - base) };
  }

  async end(): Promise<void> {
    for (const unpacker of this.#unpackers) await unpacker.end();
    if (free.length < MOST_FREE) free.push(this.#pages);
  }
}

async function newPages(): Promise<Pages> {
  const [start, end, cell] = await bp128Pages(3);
  return [start, end, cell];
}
