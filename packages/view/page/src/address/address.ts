/**
 * The state of the page in its URL, after the `#`, so that a link shows what its sender sees. Each part of the page
 * stores its state as JSON under its own key; state that equals the initial state is left out.
 */

import { effect, type Signal, signal } from "@preact/signals";

/** Milliseconds for which changes are collected. Browsers reject more than a hundred address changes in ten seconds. */
const GATHER = 200;

export class Address {
  readonly #values: URLSearchParams;
  readonly #window: Window;
  #timer: number | undefined;

  constructor(window: Window) {
    this.#window = window;
    this.#values = new URLSearchParams(window.location.hash.slice(1));
  }

  /** Returns a value that the page never changes, such as the token. */
  fixed(key: string): string | null {
    return this.#values.get(key);
  }

  /**
   * Creates a signal that is synchronized with the URL.
   * @param check validates a stored value, because a URL may come from anybody, or from another version; null if it is
   * invalid.
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

  /**
   * Deletes the values of some keys, such as selections in another file. Their signals restart with the initial value.
   */
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
