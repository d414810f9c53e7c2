/**
 * The state of the page in its address, behind the `#`: a link shows what its sender sees. Each part of the page keeps its
 * state under a key of its own, as JSON; what equals the initial state is left out.
 */

import { effect, type Signal, signal } from "@preact/signals";

/** Milliseconds for which changes are gathered: browsers refuse more than a hundred changes of an address in ten seconds. */
const GATHER = 200;

export class Address {
  readonly #values: URLSearchParams;
  readonly #window: Window;
  #timer: number | undefined;

  constructor(window: Window) {
    this.#window = window;
    this.#values = new URLSearchParams(window.location.hash.slice(1));
  }

  /** A value that the page never changes, as the token. */
  fixed(key: string): string | null {
    return this.#values.get(key);
  }

  /**
   * A signal that the address follows.
   * @param check what a stored value becomes: an address may come from anybody, or from another version; null for none.
   */
  signal<T>(key: string, initial: T, check: (value: unknown) => T | null): Signal<T> {
    const state = signal(this.#read(key, check) ?? initial);
    const usual = JSON.stringify(initial);
    effect(() => {
      const text = JSON.stringify(state.value);
      if (text === usual) this.#values.delete(key);
      else this.#values.set(key, text);
      this.#store();
    });
    return state;
  }

  /** Drops what is stored under some keys, as what was chosen in another file. Signals begin anew with their initial value. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#values.delete(key);
    this.#store();
  }

  #read<T>(key: string, check: (value: unknown) => T | null): T | null {
    const text = this.#values.get(key);
    if (text === null) return null;
    try {
      return check(JSON.parse(text));
    } catch {
      return null;
    }
  }

  #store(): void {
    this.#window.clearTimeout(this.#timer);
    this.#timer = this.#window.setTimeout(() => {
      this.#window.history.replaceState(null, "", `#${this.#values}`);
    }, GATHER);
  }
}

export const isText = (value: unknown): string | null => (typeof value === "string" ? value : null);
