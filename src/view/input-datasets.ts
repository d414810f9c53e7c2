/** The opened inputs of a viewer: each is opened once, when it is first asked for, and few stay open. */

import type { Dataset } from "../model/dataset.js";

/** A dataset that stays open until it is released. */
export interface BorrowedDataset {
  readonly dataset: Dataset;
  /** Called twice, it does nothing the second time. */
  release(): void;
}

interface Opened {
  readonly opening: Promise<Dataset>;
  users: number;
  /** Whether it is closed when its last user is gone. */
  isDropped: boolean;
}

/** Datasets that stay open without a user. */
const MOST_IDLE = 4;

export class InputDatasets {
  readonly #open: (name: string) => Promise<Dataset>;
  /** By name, the one that was used last at the end. */
  readonly #opened = new Map<string, Opened>();

  constructor(open: (name: string) => Promise<Dataset>) {
    this.#open = open;
  }

  /** @throws what opening throws. */
  async borrow(name: string): Promise<BorrowedDataset> {
    const opened = this.#opened.get(name) ?? this.#begin(name);
    opened.users++;
    this.#opened.delete(name);
    this.#opened.set(name, opened);
    let isBorrowed = true;
    const release = () => {
      if (!isBorrowed) return;
      isBorrowed = false;
      opened.users--;
      if (opened.isDropped) closeUnused(opened);
      else this.#dropIdle();
    };
    try {
      return { dataset: await opened.opening, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Opens the input anew when it is next asked for: its file has changed, or was copied by genes. */
  renew(name: string): void {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    if (opened !== undefined) drop(opened);
  }

  /** Closes all, in use or not. */
  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.allSettled(all.map(async ({ opening }) => (await opening).close()));
  }

  #begin(name: string): Opened {
    const opened: Opened = { opening: this.#open(name), users: 0, isDropped: false };
    this.#opened.set(name, opened);
    // What could not be opened may be there at the next try.
    opened.opening.catch(() => {
      if (this.#opened.get(name) === opened) this.#opened.delete(name);
    });
    return opened;
  }

  #dropIdle(): void {
    const idle = [...this.#opened].filter(([, { users }]) => users === 0);
    for (const [name] of idle.slice(0, Math.max(0, idle.length - MOST_IDLE))) this.renew(name);
  }
}

function drop(opened: Opened): void {
  opened.isDropped = true;
  closeUnused(opened);
}

function closeUnused({ users, opening }: Opened): void {
  if (users > 0) return;
  // Nobody is left who could be told that closing failed.
  void opening.then((dataset) => dataset.close()).catch(() => undefined);
}
