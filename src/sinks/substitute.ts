/**
 * Replaces types that an engine does not take by types it does, anywhere in a schema, and the data with them.
 * A sink gives the rule for one type; this file walks lists, structs and dictionaries.
 */

import {
  Data,
  DataType,
  Dictionary,
  Field,
  FixedSizeList,
  LargeList,
  List,
  Map_,
  type RecordBatch,
  Schema,
  Struct,
  Vector,
} from "apache-arrow";
import { recordBatch } from "../tables/record-batch.js";

/** Another type for one type, and how data of the one becomes data of the other (same length, same nulls). */
export interface Substitute {
  readonly type: DataType;
  readonly data: (data: Data) => Data;
}

/** What stands in for `type` itself (not for its children); null where it stays. */
export type SubstitutionRule = (type: DataType) => Substitute | null;

export interface Substitution {
  readonly schema: Schema;
  readonly batch: (batch: RecordBatch) => RecordBatch;
}

/** The rule applied to all of `schema`; null where nothing changes. */
export function substitution(schema: Schema, rule: SubstitutionRule): Substitution | null {
  const substitutes = schema.fields.map((field) => substituteFor(field.type, rule));
  if (substitutes.every((substitute) => substitute === null)) return null;
  const fields = schema.fields.map((field, i) => withType(field, substitutes[i] ?? null));
  const after = new Schema(fields, schema.metadata);
  return {
    schema: after,
    batch(batch) {
      const children = batch.data.children.map((child, i) => substitutes[i]?.data(child) ?? child);
      return recordBatch(after, batch.numRows, children);
    },
  };
}

/** The rule applied to `type` and what it contains. */
export function substituteFor(type: DataType, rule: SubstitutionRule): Substitute | null {
  const own = rule(type);
  if (own !== null) return own;
  if (DataType.isDictionary(type)) return dictionarySubstitute(type, rule);
  const children = nestedFields(type);
  const substitutes = children.map((field) => substituteFor(field.type, rule));
  if (substitutes.every((substitute) => substitute === null)) return null;
  const after = nestedType(
    type,
    children.map((field, i) => withType(field, substitutes[i] ?? null)),
  );
  return {
    type: after,
    data: (data) =>
      new Data(
        after,
        data.offset,
        data.length,
        data.nullCount,
        data.buffers,
        data.children.map((child, i) => substitutes[i]?.data(child) ?? child),
      ),
  };
}

/** The fields of a list, struct or map; none for unions, which no sink with a rule takes. */
function nestedFields(type: DataType): readonly Field[] {
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) return type.children;
  if (DataType.isStruct(type) || DataType.isMap(type)) return type.children;
  return [];
}

function nestedType(type: DataType, fields: readonly Field[]): DataType {
  const [first] = fields;
  if (first !== undefined) {
    if (DataType.isList(type)) return new List(first);
    if (DataType.isLargeList(type)) return new LargeList(first);
    if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, first);
    if (DataType.isMap(type)) return new Map_(first, type.keysSorted);
  }
  return new Struct([...fields]);
}

function withType(field: Field, substitute: Substitute | null): Field {
  return substitute === null ? field : new Field(field.name, substitute.type, field.nullable, field.metadata);
}

/** All batches of a stream share one dictionary object, so the new one is made once. */
function dictionarySubstitute(type: Dictionary, rule: SubstitutionRule): Substitute | null {
  const values = substituteFor(type.dictionary, rule);
  if (values === null) return null;
  const after = new Dictionary(values.type, type.indices, type.id, type.isOrdered);
  const made = new WeakMap<Vector, Vector>();
  const dictionaryOf = (vector: Vector): Vector => {
    const known = made.get(vector);
    if (known !== undefined) return known;
    const fresh = new Vector(vector.data.map((chunk) => values.data(chunk)));
    made.set(vector, fresh);
    return fresh;
  };
  return {
    type: after,
    data: (data) => {
      const dictionary = data.dictionary === undefined ? undefined : dictionaryOf(data.dictionary);
      return new Data(after, data.offset, data.length, data.nullCount, data.buffers, [], dictionary);
    },
  };
}
