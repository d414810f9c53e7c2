/** The names of an axis, and the positions that have them. */

/** Most names that a dataset keeps in memory for later questions. */
const MOST_KEPT = 2 ** 20;

export class NamesOfAxis {
  readonly all: readonly string[];
  #places: ReadonlyMap<string, number> | null = null;
  #repeated: ReadonlySet<string> = new Set();

  constructor(all: readonly string[]) {
    this.all = all;
  }

  /** The first position of each name. */
  get places(): ReadonlyMap<string, number> {
    if (this.#places !== null) return this.#places;
    const places = new Map<string, number>();
    const repeated = new Set<string>();
    for (const [position, name] of this.all.entries()) {
      if (places.has(name)) repeated.add(name);
      else places.set(name, position);
    }
    this.#places = places;
    this.#repeated = repeated;
    return places;
  }

  /** The names that several positions have. */
  get repeated(): ReadonlySet<string> {
    return this.places.size === this.all.length ? new Set() : this.#repeated;
  }
}

/** Names of the axes of one dataset that were read before, at most `MOST_KEPT` of them. */
export class KnownNames {
  readonly #known = new Map<string, NamesOfAxis | null>();
  #count = 0;

  /**
   * The names of an axis, which `read` reads the first time.
   * @param column the column that holds them; the index where it is absent.
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
    if (this.#count + count <= MOST_KEPT && !this.#known.has(key)) {
      this.#known.set(key, names);
      this.#count += count;
    }
    return names;
  }
}
