/** Holds spilled entries as runs, which all have one division into bands. */

import { type Bands, type CoordinateBounds, distribute, rangeOfBands } from "./bands.js";
import type { Spill } from "./spill.js";
import type { EntryBlock, Workspace } from "./workspace.js";

interface Run {
  readonly offset: number;
  readonly length: number;
  /** Start of each band, and the end of the last one. */
  readonly starts: Uint32Array;
}

/** Neighbouring bands [from, to) that are sorted together. */
export interface BandGroup {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly range: CoordinateBounds;
}

export class Runs {
  readonly #bands: Bands;
  readonly #range: CoordinateBounds;
  readonly #spill: Spill;
  readonly #workspace: Workspace;
  readonly #runs: Run[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(range: CoordinateBounds, bands: Bands, spill: Spill, workspace: Workspace) {
    this.#range = range;
    this.#bands = bands;
    this.#spill = spill;
    this.#workspace = workspace;
  }

  /** Spills the first `length` entries of the workspace's source. Once it resolves, the source may be filled again. */
  async add(length: number): Promise<void> {
    await this.#writing;
    const target = this.#workspace.target(length);
    const starts = distribute(this.#workspace.source, length, this.#bands, target, this.#workspace.places(length));
    // The next run is collected while this run is written.
    this.#writing = this.#spill.append(target.bytes(0, length)).then((offset) => {
      this.#runs.push({ offset, length, starts });
    });
    this.#writing.catch(() => undefined);
  }

  /** Waits until all runs are written. @throws {InvalidInputError} if the disk is full or cannot be written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Groups of neighbouring bands with at most `capacity` entries each; a single band may have more. */
  groups(capacity: number): BandGroup[] {
    const { count } = this.#bands;
    const sizes = new Float64Array(count);
    for (const { starts } of this.#runs) for (let b = 0; b < count; b++) sizes[b] += starts[b + 1] - starts[b];
    const groups: BandGroup[] = [];
    let [from, sum] = [0, 0];
    const close = (to: number) => {
      if (sum > 0) groups.push({ from, to, count: sum, range: rangeOfBands(this.#range, this.#bands, from, to) });
      [from, sum] = [to, 0];
    };
    for (let b = 0; b < count; b++) {
      if (sum + sizes[b] > capacity) close(b);
      sum += sizes[b];
    }
    close(count);
    return groups;
  }

  /** Reads a group that fits into `block`; its entries keep the order in which they were added. */
  async load({ from, to }: BandGroup, block: EntryBlock): Promise<void> {
    const reads: Promise<void>[] = [];
    let at = 0;
    for (const run of this.#runs) {
      const [start, end] = [run.starts[from], run.starts[to]];
      reads.push(this.#read(run, [start, end], block, at));
      at += end - start;
    }
    await allSettled(reads);
  }

  /** Reads a group that does not fit, part by part into `block()`. Yields the number of entries in each part. */
  async *parts({ from, to }: BandGroup, block: () => EntryBlock): AsyncGenerator<number> {
    const most = this.#workspace.capacity;
    let at = 0;
    for (const run of this.#runs) {
      for (let start = run.starts[from]; start < run.starts[to]; ) {
        const end = Math.min(run.starts[to], start + most - at);
        await this.#read(run, [start, end], block(), at);
        at += end - start;
        start = end;
        if (at < most) continue;
        yield at;
        at = 0;
      }
    }
    if (at > 0) yield at;
  }

  async #read(run: Run, [start, end]: readonly [number, number], block: EntryBlock, at: number): Promise<void> {
    if (end === start) return;
    const reads: Promise<void>[] = [];
    let { offset } = run;
    for (const target of block.bytes(at, at + end - start)) {
      const width = target.length / (end - start);
      reads.push(this.#spill.read(offset + start * width, target));
      offset += run.length * width;
    }
    await allSettled(reads);
  }
}

/** Waits for all reads, so that none still fills the block after another has failed. */
async function allSettled(reads: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
}
