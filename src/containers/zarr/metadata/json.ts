import { InvalidDataError } from "../../../model/errors.js";

/**
 * A JSON value. Integers that a double cannot represent exactly are bigint. Objects have no prototype, so any key is
 * plain data.
 */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

const MAX_DEPTH = 512;
/**
 * Approximate memory that a value of each kind takes, and the limit on the sum. A document of a few megabytes can
 * expand to gigabytes of objects.
 */
const COST = { object: 256, key: 128, array: 160, text: 40, bigint: 64, other: 16 } as const;
const MAX_MEMORY = 192 * 2 ** 20;
/** Maximum number of string pieces that are collected before they are joined. */
const MAX_PIECES = 4096;
/**
 * Maximum number of digits in an integer. Real files contain no longer integers, and converting them would take
 * quadratic time.
 */
const MAX_DIGITS = 400;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPECIAL = /-?(?:NaN|Infinity)/y;
/** Matches up to the next special character of a string. Control characters are allowed. */
const PLAIN = /[^"\\]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * Parses JSON as Python writes it. Unlike `JSON.parse`, accepts bare `NaN`, `Infinity` and `-Infinity`, and keeps all
 * digits of integers. If a key is repeated, its last value counts.
 * @throws {InvalidDataError} if the bytes are not UTF-8 or not JSON, with the position, or if the values take more than
 * 192 MiB.
 */
export function parseJson(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidDataError("not UTF-8", { cause });
  }
  return new Parser(text).document();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #memory = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#error("the end");
    return value;
  }

  #error(expected: string): InvalidDataError {
    const found = this.#at < this.#text.length ? JSON.stringify(this.#text.slice(this.#at, this.#at + 12)) : "the end";
    return new InvalidDataError(
      `not JSON: ${found} at character ${this.#at} of ${this.#text.length}, expected ${expected}`,
    );
  }

  #take(bytes: number): void {
    this.#memory += bytes;
    if (this.#memory > MAX_MEMORY) {
      throw new InvalidDataError(
        `JSON of ${this.#text.length} characters takes more than ${MAX_MEMORY} bytes in memory at character ${this.#at}`,
      );
    }
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at++;
    }
  }

  /** Skips `character` if it comes next. Returns whether it was skipped. */
  #next(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #value(depth: number): Json {
    if (depth > MAX_DEPTH) throw new InvalidDataError(`JSON is nested more than ${MAX_DEPTH} deep`);
    this.#space();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #word(word: string, value: boolean | null): boolean | null {
    if (!this.#text.startsWith(word, this.#at)) throw this.#error(word);
    this.#at += word.length;
    this.#take(COST.other);
    return value;
  }

  #object(depth: number): JsonObject {
    const result: Record<string, Json> = Object.create(null);
    this.#take(COST.object);
    this.#at++;
    if (this.#next("}")) return result;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#error("a key");
      const key = this.#string();
      this.#take(COST.key);
      if (!this.#next(":")) throw this.#error('":"');
      result[key] = this.#value(depth + 1);
    } while (this.#next(","));
    if (!this.#next("}")) throw this.#error('"," or "}"');
    return result;
  }

  #array(depth: number): Json[] {
    const result: Json[] = [];
    this.#take(COST.array);
    this.#at++;
    if (this.#next("]")) return result;
    do result.push(this.#value(depth + 1));
    while (this.#next(","));
    if (!this.#next("]")) throw this.#error('"," or "]"');
    return result;
  }

  #string(): string {
    this.#at++;
    const start = this.#at;
    let result = this.#match(PLAIN)?.[0] ?? "";
    let pieces: string[] = [];
    while (this.#text[this.#at] !== '"') {
      if (this.#text[this.#at] !== "\\") throw this.#error("the end of a string");
      pieces.push(this.#escape(), this.#match(PLAIN)?.[0] ?? "");
      if (pieces.length < MAX_PIECES) continue;
      result += pieces.join("");
      pieces = [];
    }
    this.#take(COST.text + this.#at - start);
    this.#at++;
    return pieces.length === 0 ? result : result + pieces.join("");
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1];
    if (letter === "u") {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#error("four hexadecimal digits");
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const value = ESCAPES[letter];
    if (value === undefined) throw this.#error("an escape");
    this.#at += 2;
    return value;
  }

  #number(): number | bigint {
    const special = this.#match(SPECIAL);
    this.#take(COST.other);
    if (special !== null) return Number(special[0]);
    const match = this.#match(NUMBER);
    if (match === null) throw this.#error("a value");
    const value = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    if (!isInteger || Number.isSafeInteger(value) || match[0].length > MAX_DIGITS) return value;
    this.#take(COST.bigint + match[0].length);
    return BigInt(match[0]);
  }
}
