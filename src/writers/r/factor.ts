/** Categoricals as R's factors. */

import type { Column } from "../../arrow/column.js";
import { textValues } from "../../arrow/text.js";
import { type DictionaryType, typeText } from "../../arrow/type.js";
import { NA_INTEGER, type RAttributes, type RValue } from "../../containers/rds/model/value.js";
import type { Section } from "../../containers/rds/write/spooled.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { InvalidInputError, RefusedError } from "../../model/errors.js";
import { characters, classAttribute, type RWriterContext } from "./context.js";
import { numbersOf, type RVectorSink } from "./vector.js";

/** Levels are text, whatever the categories are. */
export class FactorSink implements RVectorSink {
  readonly #cx: RWriterContext;
  readonly #type: DictionaryType;
  readonly #section: Section;
  #dictionary: Column | null = null;
  #levels: Levels = { names: [], codes: new Int32Array() };
  #length = 0;

  constructor(cx: RWriterContext, type: DictionaryType) {
    this.#cx = cx;
    this.#type = type;
    this.#section = cx.document.section(4);
  }

  async write(column: Column): Promise<void> {
    if (column.layout !== "dictionary") throw new TypeError("categories expected");
    if (this.#dictionary !== column.dictionary) {
      const levels = levelsOf(column.dictionary);
      if (this.#dictionary !== null && !isSame(levels, this.#levels)) {
        throw new InvalidInputError("batches with other categories: all of a column have the same");
      }
      this.#dictionary = column.dictionary;
      this.#levels = levels;
    }
    const { codes } = this.#levels;
    const { indices, validity, length } = column;
    const values = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      if (validity !== null && !bitAt(validity.bitmap, i)) values[i] = NA_INTEGER;
      else {
        const code = codes[Number(indices[i])];
        if (code === undefined) throw new InvalidInputError(`code ${indices[i]} of ${codes.length} categories`);
        values[i] = code;
      }
    }
    this.#length += length;
    await this.#section.add(values);
  }

  finish(attributes: RAttributes = new Map()): RValue {
    const all = new Map(attributes);
    all.set("levels", characters(this.#levels.names));
    all.set(...classAttribute(...(this.#type.ordered ? ["ordered", "factor"] : ["factor"])));
    return this.#cx.document.vector("integer", this.#length, [this.#section], all);
  }
}

interface Levels {
  readonly names: readonly string[];
  /** R's code of each category: NA for a category that is missing itself. */
  readonly codes: Int32Array;
}

function isSame(a: Levels, b: Levels): boolean {
  return a.names.length === b.names.length && a.names.every((name, i) => name === b.names[i]);
}

function levelsOf(dictionary: Column): Levels {
  const texts = categoryTexts(dictionary);
  const names: string[] = [];
  const codes = Int32Array.from(texts, (text) => (text === null ? NA_INTEGER : names.push(text)));
  if (new Set(names).size < names.length) throw new RefusedError("two equal categories: the levels of a factor differ");
  return { names, codes };
}

/** Categories as text; null for a missing one. */
export function categoryTexts(dictionary: Column): readonly (string | null)[] {
  if (dictionary.layout === "variable" && dictionary.type.id === "Utf8") return textValues(dictionary);
  if (dictionary.layout === "null") return Array.from({ length: dictionary.length }, () => null);
  if (dictionary.layout !== "primitive" || !["Bool", "Int", "Float"].includes(dictionary.type.id)) {
    throw new RefusedError(`categories of ${typeText(dictionary.type)}; the levels of a factor are text`);
  }
  const { validity, type } = dictionary;
  const isBool = type.id === "Bool";
  const values = numbersOf(dictionary);
  return Array.from({ length: values.length }, (_, i) => {
    if (validity !== null && !bitAt(validity.bitmap, i)) return null;
    return isBool ? (Number(values[i]) === 1 ? "TRUE" : "FALSE") : String(values[i]);
  });
}
