/** Names of the direct children of every prefix of a fixed set of keys, for sources that know all their keys. */
export class KeyTree {
  readonly #children = new Map<string, Set<string>>();

  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#add(key);
  }

  #add(key: string): void {
    let rest = key;
    for (;;) {
      const slash = rest.lastIndexOf("/");
      const parent = rest.slice(0, Math.max(slash, 0));
      const known = this.#children.get(parent);
      if (known !== undefined) {
        known.add(rest.slice(slash + 1));
        return;
      }
      this.#children.set(parent, new Set([rest.slice(slash + 1)]));
      if (slash < 0) return;
      rest = parent;
    }
  }

  children(prefix: string): string[] {
    return [...(this.#children.get(prefix) ?? [])];
  }
}
