/** Decodes a Flight stream from any producer into apache-arrow's record batches. All input is validated. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { createRawData, emptyData } from "annarrow/core/arrow";
import type { FileField, FileSchema } from "annarrow/core/ipc";
import {
  type BatchHeader,
  type ColumnParts,
  decodeBodyBuffer,
  FlatBuffer,
  getColumnParts,
  getValueType,
  type Header,
  joinByteChunks,
  type LoadedParts,
  loadColumn,
  readMessage,
  removeMessagePrefix,
} from "annarrow/core/ipc";
import { viewAsBytes } from "annarrow/core/model";
import { recordBatch } from "annarrow/core/tables";
import { type Data, DataType, type RecordBatch, Schema, Vector } from "apache-arrow";
import type { FlightData } from "../protocol/flight-data.js";

/** Maximum number of deltas per dictionary. Each delta takes separate memory. */
const MAX_DELTAS = 10_000;

export interface DecodeOptions {
  /** The schema that the stream must have. All batches share the schema's objects. */
  readonly schema?: FileSchema;
  /** Maximum number of columns in the stream's schema. */
  readonly maxColumns?: number;
  /** Indices of the selected columns, in output order; all columns by default. */
  readonly columns?: readonly number[];
  /** Dictionaries of other streams of this table: equal dictionaries are shared. */
  readonly known?: DictionaryCache;
}

/** A message with a record batch, or with metadata only. */
export interface Decoded {
  readonly rows: number;
  readonly appMetadata: Uint8Array;
  /** Creates the batch; must be called before the next message is read. Null for a message with metadata only. */
  readonly batch: (() => Promise<RecordBatch>) | null;
}

/**
 * Reads the schema from `FlightInfo` or `SchemaResult`, where it is an encapsulated message.
 * @throws {InvalidDataError} for any other message, {UnsupportedError} for types that apache-arrow lacks.
 */
export function decodeSchema(bytes: Uint8Array): FileSchema {
  const { header } = readMessage(removeMessagePrefix(bytes), Number.POSITIVE_INFINITY);
  if (header.kind !== "schema") throw new InvalidDataError(`a ${header.kind} where a schema should be`);
  return header.schema;
}

/** Decodes the messages of one stream, in order. */
export class FlightDecoder {
  readonly #options: DecodeOptions;
  readonly #known: DictionaryCache;
  readonly #dictionaries = new Map<bigint, Vector>();
  readonly #coded = new Map<bigint, FileField>();
  #schema: FileSchema | undefined;
  #deltas = 0;

  constructor(options: DecodeOptions = {}) {
    this.#options = options;
    this.#known = options.known ?? new DictionaryCache();
  }

  /** The whole schema; undefined until its message, the first one with a header, has been read. */
  get schema(): Schema | undefined {
    return this.#schema?.schema;
  }

  /**
   * Decodes a message. Returns null for schemas and dictionaries, which the decoder stores.
   * @throws {InvalidDataError} for a malformed message, {UnsupportedError} for types that cannot be read.
   */
  async take(data: FlightData): Promise<Decoded | null> {
    const { appMetadata } = data;
    if (data.header.length === 0) {
      return appMetadata.length === 0 ? null : { rows: 0, appMetadata, batch: null };
    }
    const { header } = readMessage(data.header, this.#options.maxColumns);
    if (header.kind === "schema") {
      if (this.#schema !== undefined) throw new InvalidDataError("the stream has two schemas");
      this.#schema =
        this.#options.schema === undefined ? header.schema : asExpected(header.schema, this.#options.schema);
      for (const field of this.#schema.fields) codedFields(field, this.#coded);
      return null;
    }
    const schema = this.#schema;
    if (schema === undefined) throw new InvalidDataError(`a ${header.kind} in front of the stream's schema`);
    // `slice` on a Node Buffer returns a view, but a copy is needed.
    const body = data.body.length === 1 ? viewAsBytes(data.body[0]) : joinByteChunks(data.body);
    checkBody(data.header, body);
    if (header.kind === "dictionary") {
      await this.#addDictionary(header, body, schema.bigEndian);
      return null;
    }
    const { batch } = header;
    return { rows: batch.rows, appMetadata, batch: () => this.#batch(schema, batch, body) };
  }

  /** Returns a batch without rows, with the dictionaries received so far. */
  empty(): RecordBatch {
    const schema = this.#schema;
    if (schema === undefined) throw new InvalidDataError("the stream has no schema");
    const { fields, schema: selected } = this.#selected(schema);
    return recordBatch(
      selected,
      0,
      fields.map((field) => this.#noRows(field)),
    );
  }

  async #batch(schema: FileSchema, header: BatchHeader, body: Uint8Array): Promise<RecordBatch> {
    const parts = getColumnParts(header, schema.fields);
    const { fields, schema: selected, places } = this.#selected(schema);
    const children: Data[] = [];
    for (const [i, field] of fields.entries()) {
      const loaded = await ownParts(parts[places[i]], header, body, schema.bigEndian);
      this.#expectDictionaries(field, header.rows);
      children.push(loadColumn(field, loaded, header.rows, { dictionaries: this.#dictionaries }));
    }
    return recordBatch(selected, header.rows, children);
  }

  #selected({ fields, schema }: FileSchema) {
    const places = this.#options.columns ?? fields.map((_, i) => i);
    const chosen = places.map((at) => fields[at]);
    return {
      places,
      fields: chosen,
      schema: new Schema(
        chosen.map(({ field }) => field),
        schema.metadata,
      ),
    };
  }

  /** Adds empty dictionaries if a batch has no rows, because its dictionaries may be missing. */
  #expectDictionaries(field: FileField, rows: number): void {
    if (rows > 0) return;
    const coded = new Map<bigint, FileField>();
    codedFields(field, coded);
    for (const [id, one] of coded) {
      if (!this.#dictionaries.has(id)) this.#dictionaries.set(id, new Vector([emptyData(getValueType(one))]));
    }
  }

  async #addDictionary(
    { id, delta, batch }: Extract<Header, { kind: "dictionary" }>,
    body: Uint8Array,
    bigEndian: boolean,
  ): Promise<void> {
    const field = this.#coded.get(id);
    if (field === undefined) throw new InvalidDataError(`a dictionary has the number ${id}, which no column has`);
    const [parts] = getColumnParts(batch, [field], true);
    const loaded = await ownParts(parts, batch, body, bigEndian);
    const values = loadColumn(field, loaded, batch.rows, { dictionaries: this.#dictionaries, values: true });
    const before = delta ? this.#dictionaries.get(id) : undefined;
    if (before !== undefined && ++this.#deltas > MAX_DELTAS) {
      throw new UnsupportedError(`a dictionary of ${field.field.name} grows more than ${MAX_DELTAS} times`);
    }
    this.#dictionaries.set(id, this.#known.shared(id, [...(before?.data ?? []), values]));
  }

  #noRows({ field, dictionary }: FileField): Data {
    const type: DataType = field.type;
    const known = dictionary === null ? undefined : this.#dictionaries.get(dictionary.id);
    if (known === undefined || !DataType.isDictionary(type)) return emptyData(type);
    return createRawData(type, 0, 0, { values: new type.indices.ArrayType(0) }, [], known);
  }
}

/**
 * Returns the stream's schema with the field objects from the table's schema. Dictionary ids and stored forms remain
 * those of the stream.
 * @throws {InvalidDataError} if the columns differ.
 */
function asExpected(found: FileSchema, expected: FileSchema): FileSchema {
  const [mine, other] = [found, expected].map(({ schema }) => columnsText(schema));
  if (mine !== other) throw new InvalidDataError(`the stream has the columns (${mine}), its table (${other})`);
  const fields = found.fields.map((field, i) => named(field, expected.fields[i]));
  return { schema: expected.schema, bigEndian: found.bigEndian, fields };
}

function named({ form, dictionary, children }: FileField, { field, children: names }: FileField): FileField {
  return { field, form, dictionary, children: children.map((child, i) => named(child, names[i])) };
}

function columnsText({ fields }: Schema): string {
  return fields.map(({ name, type }) => `${name}: ${type}`).join(", ");
}

/** Returns a batch with the columns at `places` but without rows, for a stream without a schema. */
export function createEmptyBatch(
  { fields, schema }: FileSchema,
  places: readonly number[] = fields.map((_, i) => i),
): RecordBatch {
  const chosen = places.map((at) => fields[at].field);
  return recordBatch(
    new Schema(chosen, schema.metadata),
    0,
    chosen.map(({ type }) => emptyData(type)),
  );
}

/** Collects the fields with a dictionary, including nested fields. */
function codedFields(field: FileField, found: Map<bigint, FileField>): void {
  for (const child of field.children) codedFields(child, found);
  if (field.dictionary !== null) found.set(field.dictionary.id, field);
}

function checkBody(header: Uint8Array, body: Uint8Array): void {
  const said = new FlatBuffer(header).root().length(3);
  if (said <= body.length) return;
  throw new InvalidDataError(`a message says that its body has ${said} bytes, it has ${body.length}`);
}

async function ownParts(
  { nodes, buffers, viewBuffers }: ColumnParts,
  { compression, unionBitmaps }: BatchHeader,
  body: Uint8Array,
  bigEndian: boolean,
): Promise<LoadedParts> {
  const own: Uint8Array[] = [];
  for (const { start, end } of buffers) own.push(await decodeBodyBuffer(body.subarray(start, end), compression));
  return { nodes, buffers: own, viewBuffers, layout: { bigEndian, unionBitmaps } };
}

/** Maximum number of cached dictionaries. A stream may send a new dictionary with every batch. */
const KEPT = 8;

export class DictionaryCache {
  readonly #vectors = new Map<bigint, Vector[]>();

  /** Returns a vector made from `parts`, or an earlier vector with equal values. */
  shared(id: bigint, parts: readonly Data[]): Vector {
    const known = this.#vectors.get(id) ?? [];
    const same = known.find(
      ({ data }) => data.length === parts.length && data.every((one, i) => isSame(one, parts[i])),
    );
    if (same !== undefined) return same;
    const vector = new Vector<DataType>([...parts]);
    this.#vectors.set(id, [vector, ...known].slice(0, KEPT));
    return vector;
  }
}

/** True if all buffers have equal bytes. Equal values in another representation count as different. */
function isSame(one: Data, other: Data): boolean {
  if (one === other) return true;
  return (
    String(one.type) === String(other.type) &&
    one.length === other.length &&
    one.offset === other.offset &&
    one.nullCount === other.nullCount &&
    hasSameBytes(one.values, other.values) &&
    hasSameBytes(one.valueOffsets, other.valueOffsets) &&
    hasSameBytes(one.nullBitmap, other.nullBitmap) &&
    hasSameBytes(one.typeIds, other.typeIds) &&
    one.dictionary === other.dictionary &&
    one.children.length === other.children.length &&
    one.children.every((child, i) => isSame(child, other.children[i]))
  );
}

function hasSameBytes(one: unknown, other: unknown): boolean {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return one === other;
  if (one.byteLength !== other.byteLength) return false;
  const [a, b] = [one, other].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return a.every((byte, i) => byte === b[i]);
}
