/** The names of an axis, and the positions of each name. */

/** Maximum number of names that a dataset caches. */
const MAX_KEPT = 2 ** 20;

/** Number of linear searches up to which searching is faster than building a map of all names. */
const MAX_SEARCHES = 16;

export class NamesOfAxis {
  readonly all: readonly string[];
  #searches = 0;
  #known: { readonly places: ReadonlyMap<string, number>; readonly repeated: ReadonlySet<string> } | null = null;

  constructor(all: readonly string[]) {
    this.all = all;
  }

  /** Returns the first position of a name; -1 if no position has this name. */
  positionOf(name: string): number {
    return this.#isSearched() ? this.all.indexOf(name) : (this.#places().places.get(name) ?? -1);
  }

  isRepeated(name: string): boolean {
    if (!this.#isSearched()) return this.#places().repeated.has(name);
    const first = this.all.indexOf(name);
    return first >= 0 && this.all.includes(name, first + 1);
  }

  #isSearched(): boolean {
    return this.#known === null && this.#searches++ < MAX_SEARCHES;
  }

  #places() {
    if (this.#known !== null) return this.#known;
    const places = new Map<string, number>();
    const repeated = new Set<string>();
    for (const [position, name] of this.all.entries()) {
      if (places.has(name)) repeated.add(name);
      else places.set(name, position);
    }
    this.#known = { places, repeated };
    return this.#known;
  }
}

/** Cached names of the axes of a dataset, at most `MAX_KEPT`. */
export class AxisNameCache {
  readonly #known = new Map<string, NamesOfAxis | null>();
  #count = 0;

  /**
   * Returns an axis's names. The first call reads them with `read`.
   * @param column the column that contains the names; the index by default.
   */
  async of(
    axis: string,
    column: string | undefined,
    read: () => Promise<readonly string[] | null>,
  ): Promise<NamesOfAxis | null> {
    const key = JSON.stringify([axis, column]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const all = await read();
    const names = all === null ? null : new NamesOfAxis(all);
    const count = all?.length ?? 0;
    if (this.#count + count <= MAX_KEPT && !this.#known.has(key)) {
      this.#known.set(key, names);
      this.#count += count;
    }
    return names;
  }
}
