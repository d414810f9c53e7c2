/** Caches opened datasets for later requests, reopens changed files, and closes unused datasets. */

import type { TableSet } from "annarrow";
import type { GenericFileOptions, OpenedTable } from "annarrow/core/api";
import { hasExternalValues } from "annarrow/core/containers";
import { once } from "annarrow/core/kernels";
import { openStored } from "annarrow/node/api";
import { RequestError } from "../requests/failure.js";
import { FolderIdentities, isPartial } from "./folder-identity.node.js";
import { type Folders, isUnchangedFile, type ServedFile } from "./folders.node.js";
import type { ProbeProcesses } from "./probe-processes.node.js";

export type OpenDataset = TableSet<OpenedTable>;

/** A dataset that stays open until the caller has released it. */
export interface AcquiredDataset {
  readonly dataset: OpenDataset;
  /** The file or folder. A folder's identity covers all files in it. */
  readonly found: ServedFile;
  /** The rest of the path: the name of a table, or empty. */
  readonly rest: string;
  /**
   * Whether equal identities imply equal content. This is false for folders, which are not checked each time, and for R
   * objects, which may refer to other files.
   */
  readonly isFixed: boolean;
  /** Time in milliseconds since 1970 after which no file in a folder has changed; null for files. */
  readonly since: number | null;
  /** Reports a change, so that the next request reopens the dataset. */
  drop(): void;
  release(): void;
}

interface Kept {
  readonly found: ServedFile;
  /** Identity of the folder without the files in it, and the time in milliseconds when all files were last checked. */
  outside: string;
  lookedAt: number;
  readonly since: number | null;
  readonly opening: Promise<OpenDataset>;
  users: number;
  dropped: boolean;
}

export interface DatasetCacheOptions {
  /** Maximum number of datasets that stay open without readers; 32 by default. */
  readonly most?: number;
  /** Where to look for companions (copies of matrices by gene), as in `open`; `auto` by default. */
  readonly companion?: string;
  readonly plain?: GenericFileOptions;
}

export interface AcquireOptions {
  /** Maximum age in milliseconds of the last check of a folder store. By default, the folder is checked again. */
  readonly age?: number;
  /** For a folder whose files are not all checked: the time after which files read from it must not have changed. */
  readonly since?: number | null;
}

export class Datasets {
  readonly #folders: Folders;
  readonly #trials: ProbeProcesses;
  readonly #identities = new FolderIdentities();
  readonly #most: number;
  readonly #companion: string;
  readonly #plain: GenericFileOptions;
  /** Cached datasets by real path. The least recently used come first. */
  readonly #kept = new Map<string, Kept>();

  /** @param trials tries to open each file before it is opened here. */
  constructor(
    folders: Folders,
    trials: ProbeProcesses,
    { most = 32, companion = "auto", plain = {} }: DatasetCacheOptions = {},
  ) {
    this.#folders = folders;
    this.#trials = trials;
    this.#most = most;
    this.#companion = companion;
    this.#plain = plain;
  }

  get size(): number {
    return this.#kept.size;
  }

  /**
   * Borrows the dataset at the beginning of a path. The caller must release it.
   * @throws {RequestError} if there is no such dataset; any error that `open` throws.
   */
  async borrow(path: readonly string[], { age = 0, since = null }: AcquireOptions = {}): Promise<AcquiredDataset> {
    const { found, rest } = await this.#folders.find(path);
    const kept = found.isFolder ? await this.#keepFolder(found, age, since) : this.#keep(found, null);
    kept.users++;
    const release = once(() => this.#release(kept));
    try {
      const dataset = await kept.opening;
      const isFixed = !found.isFolder && !hasExternalValues(dataset.container);
      return { dataset, found: kept.found, rest, isFixed, since: kept.since, drop: () => this.#drop(kept), release };
    } catch (error) {
      this.#drop(kept);
      release();
      throw error;
    }
  }

  /** Closes all datasets. A dataset that is in use is closed by its last user. */
  close(): void {
    for (const kept of [...this.#kept.values()]) this.#drop(kept);
  }

  async #keepFolder(found: ServedFile, age: number, since: number | null): Promise<Kept> {
    const known = this.#kept.get(found.path);
    const now = performance.now();
    if (known !== undefined && known.outside === found.identity && now - known.lookedAt < age) {
      return this.#keep({ ...found, identity: known.found.identity }, known.since);
    }
    // File times have fractions of a millisecond.
    const began = Date.now() + 1;
    const identity = await this.#identities.of(found.path);
    // If a folder was scanned completely, its identity reflects every change.
    const unchanged = since === null || !isPartial(identity) ? began : Math.min(began, since);
    const kept = this.#keep({ ...found, identity }, unchanged);
    kept.outside = found.identity;
    kept.lookedAt = now;
    return kept;
  }

  /** @param since see `Borrowed.since`. A cached dataset with an earlier time is also valid. */
  #keep(found: ServedFile, since: number | null): Kept {
    const known = this.#kept.get(found.path);
    const isOlder = known?.since == null || since === null || known.since <= since;
    if (known !== undefined && known.found.identity === found.identity && isOlder) {
      this.#kept.delete(found.path);
      this.#kept.set(found.path, known);
      return known;
    }
    if (known !== undefined) this.#drop(known);
    const opening = this.#open(found, since);
    // Each waiting request gets the error.
    opening.catch(() => undefined);
    const kept: Kept = { found, opening, outside: found.identity, lookedAt: 0, since, users: 0, dropped: false };
    this.#kept.set(found.path, kept);
    for (const old of this.#kept.values()) {
      if (this.#kept.size <= this.#most) break;
      if (old !== kept && old.users === 0) this.#drop(old);
    }
    return kept;
  }

  /** Opens the tried file. If it changes between the trial and the opening, it is closed again. */
  async #open(found: ServedFile, since: number | null): Promise<OpenDataset> {
    const wasTried = await this.#trials.check(found);
    const isSame = async () => {
      if (!found.isFolder) return isUnchangedFile(found);
      return !wasTried || (await this.#identities.of(found.path)) === found.identity;
    };
    const changed = () => new RequestError("unavailable", `${found.name} changed while it was opened; try again`);
    if (!(await isSame())) throw changed();
    try {
      const dataset = await openStored(found.path, {
        companion: this.#companion,
        ...{ ofFolder: true, ...this.#plain },
        identity: found.isFolder ? undefined : found.identity,
        unchangedSince: since ?? undefined,
      });
      if (await isSame()) return dataset;
      await dataset.close();
    } catch (error) {
      if (await isSame()) throw error;
    }
    throw changed();
  }

  #release(kept: Kept): void {
    kept.users--;
    if (kept.dropped && kept.users === 0) closeQuietly(kept);
    if (this.#kept.size > this.#most && kept.users === 0) this.#drop(kept);
  }

  #drop(kept: Kept): void {
    if (kept.dropped) return;
    kept.dropped = true;
    if (this.#kept.get(kept.found.path) === kept) this.#kept.delete(kept.found.path);
    if (kept.users === 0) closeQuietly(kept);
  }
}

function closeQuietly({ opening }: Kept): void {
  void opening.then((dataset) => dataset.close()).catch(() => undefined);
}
