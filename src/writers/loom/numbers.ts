/** The values of a matrix: the numbers of a column as those of the stored type. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, typeText } from "../../arrow/type.js";
import { storedTypeOf } from "../../arrow/written-type.js";
import { storedValues } from "../../arrow/written-values.js";
import type { ArrayWriter } from "../../containers/tree/container-writer.js";
import { RefusedError, UnsupportedError } from "../../model/errors.js";
import type { NumberArray, StoredType } from "../../model/stored.js";
import { lose } from "../lose.js";
import { UINT8 } from "./array-types.js";
import type { LoomWriterContext } from "./context.js";
import { missingIn } from "./missing.js";
import type { Notes } from "./notes.js";

export class Numbers {
  /** Integers and floats of any width; booleans become uint8. */
  readonly type: StoredType;
  readonly #taken: StoredType;
  readonly #element: string;
  readonly #cx: LoomWriterContext;
  #filled = false;

  /** @throws {UnsupportedError} for values that are no numbers. */
  constructor({ name, type }: ArrowField, element: string, notes: Notes, cx: LoomWriterContext) {
    if (type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") {
      throw new UnsupportedError(`a matrix of ${typeText(type)}; Loom's hold numbers`, { element });
    }
    this.#taken = storedTypeOf({ name, type, nullable: false }).type;
    this.type = type.id === "Bool" ? UINT8 : this.#taken;
    this.#element = element;
    this.#cx = cx;
    if (type.id === "Bool") notes.add("booleans", element);
  }

  /** @throws {InvalidInputError} for a missing value; where losses are allowed it is NaN among floats. */
  of(column: Column): NumberArray {
    const missing = missingIn(this.#taken, column);
    if (missing > 0) this.#fill(missing, column.length);
    const stored = storedValues({ type: this.#taken, shape: [] }, column, missing > 0 ? "fill" : "error");
    if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    return stored.values;
  }

  #fill(missing: number, length: number): void {
    if (this.#filled) return;
    const problem = `${missing} of ${length} values are missing, for which a matrix of Loom has no form`;
    if (this.#taken.kind !== "float") throw new RefusedError(`${problem}: fill them in`, { element: this.#element });
    lose(this.#cx, this.#element, problem, "they are written as NaN", "fill them in");
    this.#filled = true;
  }
}

/** Begins a matrix that is filled along one of its dimensions. */
export type OpenMatrix = (type: StoredType, along: 0 | 1) => Promise<ArrayWriter>;
