/**
 * Reads rows of an awkward array as a column. Every node receives the positions of the wanted rows in its content (-1:
 * a null inherited from an option above), and reads only the parts of its buffers that these positions need. The cost
 * of reading a range of rows therefore depends only on that range.
 */

import { convertPointersToNumbers } from "../../kernels/sparse/indptr.js";
import { packBits, type Validity } from "../../kernels/values/bitmap.js";
import { takeElements } from "../../kernels/values/take-elements.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { allocate, countElements, type IntArray, type NumberArray, viewAsBytes } from "../../model/stored.js";
import type { Column } from "../column.js";
import { createFixedSizeLists } from "../dense.js";
import { createStoredColumn } from "../stored.js";
import { createBinaryColumn, type TextFallback, toTextColumn } from "../text.js";
import { type BufferLengths, countContentRows } from "./content-length.js";
import { getRaggedArrowType, type RaggedForm } from "./form.js";

/** The buffers of one awkward array. */
export interface RaggedBuffers extends BufferLengths {
  /** Values [start, end) of a buffer. */
  read(name: string, start: number, end: number): Promise<NumberArray>;
  /** Dictionaries by node, cached so that all batches share them. */
  readonly dictionaries: Map<string, Column>;
  readonly text: TextFallback;
}

/** Indices into a node's content; -1 is a null. */
type Places = Int32Array;

/** Rows [start, end) of the array. */
export function readRaggedColumn(
  form: RaggedForm,
  buffers: RaggedBuffers,
  start: number,
  end: number,
): Promise<Column> {
  return gather(
    form,
    Int32Array.from({ length: end - start }, (_, i) => start + i),
    buffers,
  );
}

async function gather(form: RaggedForm, places: Places, buffers: RaggedBuffers): Promise<Column> {
  switch (form.class) {
    case "NumpyArray": {
      const per = countElements(form.innerShape);
      const values = await pick(buffers, `${form.key}-data`, places);
      const width = values.length === 0 ? 0 : values.length / places.length;
      const count = places.length * per;
      const parts = form.type.kind === "complex" ? 2 * per : per;
      if (places.length > 0 && width !== parts) {
        throw new InvalidDataError(`${form.key}-data has ${width} values a row, the form says ${parts}`);
      }
      const flat = createStoredColumn(
        form.type,
        { kind: "fixed", values: typed(form, values, count) },
        count,
        buffers.text,
      );
      return nulls(createFixedSizeLists(flat, form.innerShape, places.length), places);
    }
    case "EmptyArray":
      return { layout: "null", type: { id: "Null" }, length: places.length, validity: null };
    case "ListOffsetArray": {
      // Adjacent rows share a pointer, so a single read returns the start and the end of every row.
      const [low, high] = extent(places);
      const pointers = await numbers(buffers, `${form.key}-offsets`, low, high < low ? low : high + 2);
      const bounds: ListBounds = {
        start: (place) => pointers[place - low],
        stop: (place) => pointers[place - low + 1],
      };
      return list(form, places, bounds, buffers);
    }
    case "ListArray": {
      const [low, high] = extent(places);
      const starts = await numbers(buffers, `${form.key}-starts`, low, high + 1);
      const stops = await numbers(buffers, `${form.key}-stops`, low, high + 1);
      // An empty list may begin anywhere.
      const isEmpty = (place: number) => stops[place - low] === starts[place - low];
      const bounds: ListBounds = {
        start: (place) => (isEmpty(place) ? 0 : starts[place - low]),
        stop: (place) => (isEmpty(place) ? 0 : stops[place - low]),
      };
      return list(form, places, bounds, buffers);
    }
    case "RegularArray":
      return regular(form, places, buffers);
    case "RecordArray": {
      const children = [];
      for (const content of form.contents) children.push(await gather(content, places, buffers));
      const type = getRaggedArrowType(form);
      if (type.id !== "Struct") throw new TypeError("a record is a struct");
      return nulls({ layout: "struct", type, length: places.length, validity: null, children }, places);
    }
    case "IndexedArray":
    case "IndexedOptionArray":
      return indexed(form, places, buffers);
    case "ByteMaskedArray": {
      const mask = await pick(buffers, `${form.key}-mask`, places);
      const valid = form.validWhen ? 1 : 0;
      const inner = places.map((place, i) => (place >= 0 && (Number(mask[i]) !== 0 ? 1 : 0) === valid ? place : -1));
      return gather(form.content, inner, buffers);
    }
    case "BitMaskedArray": {
      const bytes = await pick(
        buffers,
        `${form.key}-mask`,
        places.map((place) => (place < 0 ? -1 : place >> 3)),
      );
      const inner = places.map((place, i) => {
        if (place < 0) return -1;
        const bit = form.lsbOrder ? place & 7 : 7 - (place & 7);
        return (((Number(bytes[i]) >> bit) & 1) === 1) === form.validWhen ? place : -1;
      });
      return gather(form.content, inner, buffers);
    }
    case "UnmaskedArray":
      return gather(form.content, places, buffers);
    case "UnionArray":
      return union(form, places, buffers);
    default:
      return form satisfies never;
  }
}

/** Maximum number of values below one node in one batch. A tiny file can declare lists of any length. */
const MAX_COUNT = 2 ** 27;

function checkCount(key: string, count: number): void {
  if (count <= MAX_COUNT) return;
  throw new UnsupportedError(
    `${key}: ${count} values in one batch, at most ${MAX_COUNT} are read; ask for smaller batches`,
  );
}

type ListForm = Extract<RaggedForm, { class: "ListOffsetArray" | "ListArray" }>;

/** The start and end of each list within the content. */
interface ListBounds {
  readonly start: (place: number) => number;
  readonly stop: (place: number) => number;
}

/** Offsets of lists, and the indices of the list values within the content. */
interface GatheredLists {
  readonly offsets: Int32Array;
  readonly inner: Places;
}

async function list(
  form: ListForm,
  places: Places,
  { start, stop }: ListBounds,
  buffers: RaggedBuffers,
): Promise<Column> {
  const limit = countContentRows(form.content, buffers);
  const offsets = new Int32Array(places.length + 1);
  for (const [i, place] of places.entries()) {
    const from = place < 0 ? 0 : start(place);
    const to = place < 0 ? 0 : stop(place);
    if (!(from >= 0 && to >= from && to <= limit)) {
      throw new InvalidDataError(`${form.key}: list ${place} runs from ${from} to ${to} in a content of ${limit}`);
    }
    checkCount(form.key, offsets[i] + to - from);
    offsets[i + 1] = offsets[i] + to - from;
  }
  const inner = new Int32Array(offsets[places.length]);
  for (const [i, place] of places.entries()) {
    const from = place < 0 ? 0 : start(place);
    for (let k = offsets[i]; k < offsets[i + 1]; k++) inner[k] = from + k - offsets[i];
  }
  return textOrList(form, places, { offsets, inner }, buffers);
}

async function textOrList(
  form: ListForm | Extract<RaggedForm, { class: "RegularArray" }>,
  places: Places,
  { offsets, inner }: GatheredLists,
  buffers: RaggedBuffers,
): Promise<Column> {
  if (form.text !== null) {
    if (form.content.class !== "NumpyArray") throw new InvalidDataError(`${form.key}: text without bytes`);
    const data = await pick(buffers, `${form.content.key}-data`, inner);
    const bytes = viewAsBytes(data);
    if (bytes.length !== inner.length) throw new InvalidDataError(`${form.key}: text that is not stored as bytes`);
    const values = { kind: "variable", offsets, bytes } as const;
    return nulls(form.text === "string" ? toTextColumn(values, buffers.text) : createBinaryColumn(values), places);
  }
  const child = await gather(form.content, inner, buffers);
  const type = getRaggedArrowType(form);
  if (type.id !== "List") throw new TypeError("a list is a List");
  return nulls({ layout: "list", type, length: places.length, validity: null, offsets, child }, places);
}

async function regular(
  form: Extract<RaggedForm, { class: "RegularArray" }>,
  places: Places,
  buffers: RaggedBuffers,
): Promise<Column> {
  const { size } = form;
  checkCount(form.key, places.length * size);
  const inner = new Int32Array(places.length * size);
  for (const [i, place] of places.entries()) {
    for (let k = 0; k < size; k++) inner[i * size + k] = place < 0 ? -1 : place * size + k;
  }
  if (form.text === "bytestring") {
    if (form.content.class !== "NumpyArray") throw new InvalidDataError(`${form.key}: bytes without data`);
    const values = await pick(buffers, `${form.content.key}-data`, inner);
    const type = { id: "FixedSizeBinary", width: size } as const;
    return nulls({ layout: "primitive", type, length: places.length, validity: null, values }, places);
  }
  if (form.text === "string") {
    const offsets = Int32Array.from({ length: places.length + 1 }, (_, i) => i * size);
    return textOrList(form, places, { offsets, inner }, buffers);
  }
  const child = await gather(form.content, inner, buffers);
  const type = getRaggedArrowType(form);
  if (type.id !== "FixedSizeList") throw new TypeError("a regular array is a FixedSizeList");
  return nulls({ layout: "fixed-size-list", type, length: places.length, validity: null, child }, places);
}

async function indexed(
  form: Extract<RaggedForm, { class: "IndexedArray" | "IndexedOptionArray" }>,
  places: Places,
  buffers: RaggedBuffers,
): Promise<Column> {
  const index = convertPointersToNumbers(integers(await pick(buffers, `${form.key}-index`, places), form.key));
  const limit = countContentRows(form.content, buffers);
  const inner = places.map((place, i) => {
    if (place < 0 || (form.class === "IndexedOptionArray" && index[i] < 0)) return -1;
    if (!(index[i] >= 0 && index[i] < limit)) {
      throw new InvalidDataError(`${form.key}-index[${place}] is ${index[i]}, the content has ${limit}`);
    }
    return index[i];
  });
  if (!form.categorical) return gather(form.content, inner, buffers);
  let dictionary = buffers.dictionaries.get(form.key);
  if (dictionary === undefined) {
    if (limit === Number.POSITIVE_INFINITY) throw new UnsupportedError(`${form.key}: categories that hold nothing`);
    dictionary = await readRaggedColumn(form.content, buffers, 0, limit);
    buffers.dictionaries.set(form.key, dictionary);
  }
  const type = getRaggedArrowType(form);
  if (type.id !== "Dictionary") throw new TypeError("a categorical is a Dictionary");
  const indices = inner.map((place) => Math.max(0, place));
  return nulls({ layout: "dictionary", type, length: inner.length, validity: null, indices, dictionary }, inner);
}

async function union(
  form: Extract<RaggedForm, { class: "UnionArray" }>,
  places: Places,
  buffers: RaggedBuffers,
): Promise<Column> {
  // Arrow's unions have no validity. As in awkward, a null is stored in the child that the first row's tag selects.
  const known = places.map((place) => Math.max(0, place));
  const tags = convertPointersToNumbers(integers(await pick(buffers, `${form.key}-tags`, known), form.key));
  const index = convertPointersToNumbers(integers(await pick(buffers, `${form.key}-index`, known), form.key));
  const limits = form.contents.map((content) => countContentRows(content, buffers));
  const counts = new Int32Array(form.contents.length);
  const typeIds = new Int8Array(places.length);
  const offsets = new Int32Array(places.length);
  for (let i = 0; i < places.length; i++) {
    const tag = tags[i];
    if (!(tag >= 0 && tag < form.contents.length)) {
      throw new InvalidDataError(
        `${form.key}-tags[${places[i]}] is ${tag}, the union has ${form.contents.length} contents`,
      );
    }
    if (places[i] >= 0 && !(index[i] >= 0 && index[i] < limits[tag])) {
      throw new InvalidDataError(`${form.key}-index[${places[i]}] is ${index[i]}, content ${tag} has ${limits[tag]}`);
    }
    typeIds[i] = tag;
    offsets[i] = counts[tag]++;
  }
  const children = [];
  for (const [tag, content] of form.contents.entries()) {
    const inner = new Int32Array(counts[tag]);
    for (let i = 0; i < places.length; i++) {
      if (typeIds[i] === tag) inner[offsets[i]] = places[i] < 0 ? -1 : index[i];
    }
    children.push(await gather(content, inner, buffers));
  }
  const type = getRaggedArrowType(form);
  if (type.id !== "DenseUnion") throw new TypeError("a union is a DenseUnion");
  return { layout: "union", type, length: places.length, validity: null, typeIds, offsets, children };
}

/** Adds a null to the column wherever `places` is -1. */
function nulls(column: Column, places: Places): Column {
  let nullCount = 0;
  const valid = new Uint8Array(places.length);
  for (let i = 0; i < places.length; i++) {
    if (places[i] < 0) nullCount++;
    else valid[i] = 1;
  }
  if (nullCount === 0 || column.layout === "null") return column;
  let bitmap = packBits(valid);
  if (column.validity !== null) {
    const own = column.validity.bitmap;
    bitmap = bitmap.map((byte, i) => byte & own[i]);
    nullCount = 0;
    for (let i = 0; i < places.length; i++) nullCount += 1 - ((bitmap[i >> 3] >> (i & 7)) & 1);
  }
  const validity: Validity = { bitmap, nullCount };
  return { ...column, validity };
}

/** Reads the rows of a buffer at `places`; a place of -1 yields 0. */
async function pick(buffers: RaggedBuffers, name: string, places: Places): Promise<NumberArray> {
  const [low, high] = extent(places);
  const length = buffers.length(name);
  if (high >= length) throw new InvalidDataError(`${name} has ${length} values, row ${high} is needed`);
  const block = await buffers.read(name, low, high < low ? low : high + 1);
  const rows = high < low ? 0 : high + 1 - low;
  const per = rows === 0 ? 1 : block.length / rows;
  const contiguous = places.length === rows && places.every((place, i) => place === low + i);
  if (contiguous) return block;
  return takeElements(
    block,
    places.map((place) => (place < 0 ? -1 : place - low)),
    per,
  );
}

async function numbers(buffers: RaggedBuffers, name: string, start: number, end: number): Promise<Float64Array> {
  const length = buffers.length(name);
  if (end > length) throw new InvalidDataError(`${name} has ${length} values, ${end} are needed`);
  return convertPointersToNumbers(integers(await buffers.read(name, start, Math.max(start, end)), name));
}

function integers(values: NumberArray, name: string): IntArray {
  if (values instanceof Float32Array || values instanceof Float64Array) {
    throw new InvalidDataError(`${name} holds floats, integers are needed`);
  }
  return values;
}

/** Converts the data of a NumpyArray to the typed array for its type. The stored values may have a different width. */
function typed(form: Extract<RaggedForm, { class: "NumpyArray" }>, values: NumberArray, count: number): NumberArray {
  if (values.length === 0) return allocate(form.type, count);
  if (form.type.kind === "bool" && values.BYTES_PER_ELEMENT === 1) {
    return viewAsBytes(values);
  }
  const wanted = allocate(form.type, 0);
  if (wanted.BYTES_PER_ELEMENT === values.BYTES_PER_ELEMENT && wanted.constructor === values.constructor) return values;
  throw new InvalidDataError(
    `${form.key}-data is stored as ${values.constructor.name}, the form says ${form.type.kind}`,
  );
}

/** Returns the smallest and largest index, ignoring nulls; high < low if all are null. */
function extent(places: Places): [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = -1;
  for (const place of places) {
    if (place < 0) continue;
    if (place < low) low = place;
    if (place > high) high = place;
  }
  return high < 0 ? [0, -1] : [low, high];
}
