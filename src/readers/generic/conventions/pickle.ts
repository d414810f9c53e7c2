/**
 * Reads the protocol 0 pickles that pandas and PyTables store in attributes: lists, dictionaries, texts and numbers.
 * Calls in pickles are not executed. Instead, a call becomes a value with its name and its arguments.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";

export type Pickled = string | number | boolean | null | readonly Pickled[] | PickledDict | PickledCall;

export interface PickledDict {
  readonly kind: "dict";
  readonly entries: ReadonlyMap<Pickled, Pickled>;
}

/** An object that Python would create by a call, such as a time zone. */
export interface PickledCall {
  readonly kind: "call";
  readonly name: string;
  readonly args: readonly Pickled[];
}

/**
 * Maximum number of characters in a pickle, and of values in it. The names of a million columns stay below these
 * limits.
 */
const MAX_CHARACTERS = 2 ** 26;

const MARK = Symbol("mark");
type Mutable = Pickled | typeof MARK;

/** @throws {InvalidDataError} for text that is not a pickle. @throws {UnsupportedError} for unsupported values. */
export function readPickle(text: string): Pickled {
  if (text.length > MAX_CHARACTERS) throw new UnsupportedError(`a pickle of ${text.length} characters`);
  const reader = new Reader(text);
  return reader.read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #stack: Mutable[] = [];
  readonly #memo = new Map<string, Mutable>();
  /** Lists and dictionaries that can still grow. */
  readonly #lists = new Map<Mutable, Pickled[]>();
  readonly #dicts = new Map<Mutable, Map<Pickled, Pickled>>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): Pickled {
    for (;;) {
      const code = this.#text[this.#at++];
      if (code === ".") return this.#popValue();
      if (code === undefined) throw new InvalidDataError("a pickle without an end");
      this.#run(code);
    }
  }

  #run(code: string): void {
    switch (code) {
      case "(":
        this.#stack.push(MARK);
        return;
      case "l":
        this.#push(this.#newList(this.#toMark()));
        return;
      case "d":
        this.#push(this.#newDict(this.#toMark()));
        return;
      case "t":
        this.#push(this.#toMark());
        return;
      case "N":
        this.#push(null);
        return;
      case "I":
        this.#push(this.#integer(this.#line()));
        return;
      case "L":
        this.#push(this.#integer(this.#line().replace(/L$/, "")));
        return;
      case "F":
        this.#push(Number(this.#line()));
        return;
      case "V":
        this.#push(unescaped(this.#line()));
        return;
      case "S":
        this.#push(this.#line().replace(/^(['"])(.*)\1$/s, "$2"));
        return;
      case "p":
        this.#memo.set(this.#line(), this.#stack.at(-1) ?? null);
        return;
      case "g":
        this.#stack.push(this.#memo.get(this.#line()) ?? null);
        return;
      case "a": {
        const value = this.#popValue();
        this.#list().push(value);
        return;
      }
      case "s": {
        const value = this.#popValue();
        const key = this.#popValue();
        this.#dict().set(key, value);
        return;
      }
      case "c": {
        const name = `${this.#line()} ${this.#line()}`;
        this.#push({ kind: "call", name, args: [] });
        return;
      }
      case "R": {
        const args = this.#popValue();
        const made = this.#popValue();
        if (!isCall(made) || !isList(args)) throw new InvalidDataError("a call of no function in a pickle");
        this.#push({ ...made, args });
        return;
      }
      case "b":
        this.#popValue();
        return;
      default:
        throw new UnsupportedError(`a pickle with ${JSON.stringify(code)}`);
    }
  }

  #push(value: Pickled): void {
    this.#stack.push(value);
  }

  #popValue(): Pickled {
    const value = this.#stack.pop();
    if (value === undefined || typeof value === "symbol") throw new InvalidDataError("a pickle without its values");
    return value;
  }

  /** The values above the last mark. */
  #toMark(): readonly Pickled[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at < 0) throw new InvalidDataError("a pickle without a mark");
    return this.#stack.splice(at).flatMap((value) => (typeof value === "symbol" ? [] : [value]));
  }

  #newList(values: readonly Pickled[]): Pickled {
    const list = [...values];
    this.#lists.set(list, list);
    return list;
  }

  #newDict(values: readonly Pickled[]): Pickled {
    const entries = new Map<Pickled, Pickled>();
    for (let i = 0; i + 1 < values.length; i += 2) entries.set(values[i], values[i + 1]);
    const dict: PickledDict = { kind: "dict", entries };
    this.#dicts.set(dict, entries);
    return dict;
  }

  #list(): Pickled[] {
    const list = this.#lists.get(this.#stack.at(-1) ?? null);
    if (list === undefined) throw new InvalidDataError("a pickle that appends to no list");
    return list;
  }

  #dict(): Map<Pickled, Pickled> {
    const dict = this.#dicts.get(this.#stack.at(-1) ?? null);
    if (dict === undefined) throw new InvalidDataError("a pickle that sets an item of no dictionary");
    return dict;
  }

  #integer(line: string): number | boolean {
    if (line === "01") return true;
    if (line === "00") return false;
    const value = Number(line);
    if (!Number.isSafeInteger(value)) throw new UnsupportedError(`the integer ${line.slice(0, 40)} in a pickle`);
    return value;
  }

  #line(): string {
    const end = this.#text.indexOf("\n", this.#at);
    if (end < 0) throw new InvalidDataError("a pickle that ends within a line");
    const line = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return line;
  }
}

/** Decodes text that is encoded as Python's `raw-unicode-escape`. */
function unescaped(text: string): string {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\U([0-9a-fA-F]{8})/g, (whole, digits: string) => {
      const point = Number.parseInt(digits, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    });
}

export function isList(value: Pickled | undefined): value is readonly Pickled[] {
  return Array.isArray(value);
}

export function isDict(value: Pickled | undefined): value is PickledDict {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "dict";
}

export function isCall(value: Pickled | undefined): value is PickledCall {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "call";
}
