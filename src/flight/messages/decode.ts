/** A stream of Flight, of any producer, as apache-arrow's record batches; all that it takes on trust is checked. */

import { type Data, DataType, type RecordBatch, Schema, Vector } from "apache-arrow";
import { emptyData, rawData } from "../../arrow/apache/raw-data.js";
import { FlatBuffer } from "../../ipc/flatbuffers/reader.js";
import { ownBuffer } from "../../ipc/read/body.js";
import { type ColumnParts, columnParts, valueType } from "../../ipc/read/column-parts.js";
import { type LoadedParts, loadColumn } from "../../ipc/read/load-column.js";
import { type BatchHeader, type Header, readMessage, withoutPrefix } from "../../ipc/read/message.js";
import type { FileField, FileSchema } from "../../ipc/read/schema.js";
import { joined } from "../../ipc/write/apache-writer.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { bytesOf } from "../../model/stored.js";
import { recordBatch } from "../../tables/record-batch.js";
import type { FlightData } from "../protocol/flight-data.js";

/** Each is a piece of its own in memory. */
const MAX_DELTAS = 10_000;

export interface DecodeOptions {
  /** The schema that the stream must have; its objects are those of all batches. */
  readonly schema?: FileSchema;
  /** Places of the columns that are wanted, in this order; all by default. */
  readonly columns?: readonly number[];
  /** Those of other streams of the same table: what is the same is shared. */
  readonly known?: KnownDictionaries;
}

/** One message of record batches, or metadata alone. */
export interface Decoded {
  readonly rows: number;
  readonly appMetadata: Uint8Array;
  /** Its rows, made when they are asked for, before the next message is; null for metadata alone. */
  readonly batch: (() => Promise<RecordBatch>) | null;
}

/**
 * The schema in `FlightInfo` and `SchemaResult`: an encapsulated message.
 * @throws {InvalidDataError} where it is none, {UnsupportedError} for types that no JavaScript library holds.
 */
export function decodeSchema(bytes: Uint8Array): FileSchema {
  const { header } = readMessage(withoutPrefix(bytes));
  if (header.kind !== "schema") throw new InvalidDataError(`a ${header.kind} where a schema should be`);
  return header.schema;
}

/** The messages of one stream, each to be given in turn. */
export class FlightDecoder {
  readonly #options: DecodeOptions;
  readonly #known: KnownDictionaries;
  readonly #dictionaries = new Map<bigint, Vector>();
  readonly #coded = new Map<bigint, FileField>();
  #schema: FileSchema | undefined;
  #deltas = 0;

  constructor(options: DecodeOptions = {}) {
    this.#options = options;
    this.#known = options.known ?? new KnownDictionaries();
  }

  /** The whole schema; undefined before its message, which is the first that has a header. */
  get schema(): Schema | undefined {
    return this.#schema?.schema;
  }

  /**
   * What a message brings; null for schemas and dictionaries, which are kept.
   * @throws {InvalidDataError} where it breaks the format, {UnsupportedError} for what is not read.
   */
  async take(data: FlightData): Promise<Decoded | null> {
    const { appMetadata } = data;
    if (data.header.length === 0) {
      return appMetadata.length === 0 ? null : { rows: 0, appMetadata, batch: null };
    }
    const { header } = readMessage(data.header);
    if (header.kind === "schema") {
      if (this.#schema !== undefined) throw new InvalidDataError("the stream has two schemas");
      this.#schema =
        this.#options.schema === undefined ? header.schema : asExpected(header.schema, this.#options.schema);
      for (const field of this.#schema.fields) codedFields(field, this.#coded);
      return null;
    }
    const schema = this.#schema;
    if (schema === undefined) throw new InvalidDataError(`a ${header.kind} in front of the stream's schema`);
    // A Buffer of Node would give views where copies are made.
    const body = data.body.length === 1 ? bytesOf(data.body[0]) : joined(data.body);
    checkBody(data.header, body);
    if (header.kind === "dictionary") {
      await this.#addDictionary(header, body, schema.bigEndian);
      return null;
    }
    const { batch } = header;
    return { rows: batch.rows, appMetadata, batch: () => this.#batch(schema, batch, body) };
  }

  /** A batch without rows, with the dictionaries that came so far. */
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
    const parts = columnParts(header, schema.fields);
    const { fields, schema: selected, places } = this.#selected(schema);
    const children: Data[] = [];
    for (const [i, field] of fields.entries()) {
      const loaded = await ownParts(parts[places[i]], header, body, schema.bigEndian);
      this.#expectDictionaries(field, header.rows);
      children.push(loadColumn(field, loaded, header.rows, this.#dictionaries));
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

  /** Of a batch without rows the dictionaries may be missing. */
  #expectDictionaries(field: FileField, rows: number): void {
    if (rows > 0) return;
    const coded = new Map<bigint, FileField>();
    codedFields(field, coded);
    for (const [id, one] of coded) {
      if (!this.#dictionaries.has(id)) this.#dictionaries.set(id, new Vector([emptyData(valueType(one))]));
    }
  }

  async #addDictionary(
    { id, delta, batch }: Extract<Header, { kind: "dictionary" }>,
    body: Uint8Array,
    bigEndian: boolean,
  ): Promise<void> {
    const field = this.#coded.get(id);
    if (field === undefined) throw new InvalidDataError(`a dictionary has the number ${id}, which no column has`);
    const [parts] = columnParts(batch, [field], true);
    const loaded = await ownParts(parts, batch, body, bigEndian);
    const values = loadColumn(field, loaded, batch.rows, this.#dictionaries, true);
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
    return rawData(type, 0, 0, { values: new type.indices.ArrayType(0) }, [], known);
  }
}

/**
 * The stream's schema in the objects of the table's: numbers of dictionaries, and how values are stored, belong to the stream.
 * @throws {InvalidDataError} where the columns are others.
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

/** A batch without rows, of the columns at `places`, in a stream that has not even its schema. */
export function noRows(
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

/** The fields with a dictionary, also those within others. */
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
  for (const { start, end } of buffers) own.push(await ownBuffer(body.subarray(start, end), compression));
  return { nodes, buffers: own, viewBuffers, layout: { bigEndian, unionBitmaps } };
}

/** Older ones are forgotten: a stream may bring a new dictionary with every batch. */
const KEPT = 8;

export class KnownDictionaries {
  readonly #vectors = new Map<bigint, Vector[]>();

  /** A vector of `parts`: one that was given out before where their values are the same. */
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

/** Whether the same bytes stand in the same buffers; values that are equal in another form count as others. */
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
