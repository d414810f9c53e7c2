/** Writes arrays. */

import { InvalidInputError } from "../../../model/errors.js";
import { countElements, type StoredType, type StoredValues } from "../../../model/stored.js";
import type { ArrayDescription, ArrayWriter } from "../../tree/container-writer.js";
import { createLocatedError, type FileState } from "./data/file-state.js";
import type { RowData } from "./data/row-data.js";
import { type DatasetStorage, planDatasetStorage } from "./data/storage.js";
import { Attributes } from "./messages/attributes.js";
import { encodeDatasetMessages } from "./messages/dataset-description.js";
import { filterMessage, type WrittenLayout } from "./messages/dataset-messages.js";
import { encodeDatatypeMessage } from "./messages/datatype-message.js";
import { reserveHeader, writeHeader } from "./messages/object-header.js";
import { checkShape, checkValues, hasRows, type Shape } from "./values/checks.js";
import { countElementBytes, isVariable, isVerbatim } from "./values/element-bytes.js";
import { encodeElements } from "./values/encode-elements.js";

/** Number of elements encoded at a time if stored values differ from their form in memory. */
const SLICE_ELEMENTS = 65_536;

export class DatasetWriter implements ArrayWriter {
  readonly path: string;
  readonly #file: FileState;
  readonly #complete: (header: number) => void;
  readonly #type: StoredType;
  /** Null for a null dataspace. */
  readonly #shape: Shape;
  readonly #datatype: Uint8Array;
  readonly #attributes: Attributes;
  readonly #storage: DatasetStorage;
  readonly #data: RowData;
  /** The dimension along which values are appended. A row contains all values at one position of this dimension. */
  readonly #along: number;
  readonly #leadingOne: boolean;
  readonly #rowElements: number;
  #rows = 0;
  #state: "open" | "failed" | "closed" = "open";
  #reserved: number | null = null;
  #header: number | null = null;

  /**
   * @param complete called with the header's address once everything is written.
   * @throws the errors of `GroupWriter.array`.
   */
  constructor(file: FileState, path: string, description: ArrayDescription, complete: (header: number) => void) {
    const { type, shape, attributes, along = 0, leadingOne = false, unwritten = false } = description;
    this.path = path;
    this.#file = file;
    this.#complete = complete;
    this.#type = type;
    this.#shape = shape;
    if (shape !== null) checkShape(shape.map((size) => size ?? 0));
    this.#datatype = encodeDatatypeMessage(type);
    this.#attributes = new Attributes(file.heap, attributes);
    this.#along = along;
    this.#leadingOne = leadingOne;
    this.#rowElements = hasRows(shape) ? countElements(shape.map((size, d) => (d === along ? 1 : (size ?? 0)))) : 1;
    const comesByColumns =
      type.kind !== "sequence" && (isVerbatim(type) || type.kind === "record") && !isVariable(type);
    if (along > 0 && !comesByColumns) {
      throw new InvalidInputError(`${type.kind} values by columns: only numbers and records of them come so`);
    }
    this.#storage = planDatasetStorage(file, description, countElementBytes(type));
    this.#data = this.#storage.data;
    if (unwritten) this.#rows = this.#totalRows() ?? 0;
    this.#reserved = file.reserved.get(path) ?? null;
    file.reserved.delete(path);
    file.openArrays.add(path);
  }

  write(values: StoredValues, rows: number): Promise<void> {
    return this.#file.turns.take(async () => {
      try {
        await this.#write(values, rows);
      } catch (error) {
        this.#state = "failed";
        throw createLocatedError(this.#file.name, this.path, error);
      }
    });
  }

  async #write(values: StoredValues, rows: number): Promise<void> {
    if (this.#state !== "open") throw new TypeError(`the array is ${this.#state}: nothing can be written`);
    if (!Number.isSafeInteger(rows) || rows < 0) throw new TypeError(`${rows} rows`);
    const total = this.#totalRows();
    if (total !== null && this.#rows + rows > total) {
      throw new TypeError(`${this.#rows + rows} ${this.#unit} in an array of ${total}`);
    }
    checkValues(this.#type, values, rows * this.#rowElements);
    const verbatim = this.#type.kind !== "sequence" && isVerbatim(this.#type);
    // Columns are not divided into slices, because this would split every row of the block.
    const step =
      verbatim || this.#along > 0 ? rows : Math.max(1, Math.floor(SLICE_ELEMENTS / Math.max(1, this.#rowElements)));
    for (let from = 0; from < rows; from += step) {
      const to = Math.min(from + step, rows);
      const elements = this.#rowElements;
      await this.#data.put(encodeElements(this.#type, values, from * elements, to * elements, this.#file.heap));
    }
    this.#rows += rows;
  }

  close(): Promise<void> {
    return this.#file.turns.take(async () => {
      try {
        if (this.#state === "failed") throw new TypeError("the array is incomplete: writing it has failed");
        if (this.#state === "closed") return;
        const total = this.#totalRows();
        if (total !== null && this.#rows < total) {
          throw new TypeError(`${this.#rows} ${this.#unit} of an array of ${total}`);
        }
        this.#state = "closed";
        await this.#data.end((layout) => this.#writeHeader(layout));
        this.#file.openArrays.delete(this.path);
      } catch (error) {
        this.#state = "failed";
        throw createLocatedError(this.#file.name, this.path, error);
      }
    });
  }

  /** Returns the header's address, which is fixed from now on even if the header is not written yet. */
  address(): number {
    this.#reserved ??= this.#header ?? reserveHeader(this.#file.space);
    return this.#reserved;
  }

  /** Returns the number of rows; null if it is known only at the end. */
  #totalRows(): number | null {
    if (hasRows(this.#shape)) return this.#shape[this.#along] ?? null;
    return this.#shape === null ? 0 : 1;
  }

  get #unit(): string {
    return this.#along === 0 ? "rows" : "columns";
  }

  #writeHeader(layout: WrittenLayout): void {
    const { space } = this.#file;
    const { extendable, encoding } = this.#storage;
    const own = hasRows(this.#shape) ? this.#shape.map((size) => size ?? this.#rows) : this.#shape;
    const shape = own !== null && this.#leadingOne ? [1, ...own] : own;
    const messages = encodeDatasetMessages({
      ...{ shape, extendable, layout, datatype: this.#datatype },
      variable: isVariable(this.#type),
      filters: encoding.length > 0 ? filterMessage(encoding) : null,
    });
    try {
      this.#header = writeHeader(space, messages, this.#attributes.encoded, this.#reserved);
      this.#complete(this.#header);
    } catch (error) {
      // The caller may be another array, whose name would otherwise be added to the error.
      throw createLocatedError(this.#file.name, this.path, error);
    }
  }
}
