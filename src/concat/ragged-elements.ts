/** Concatenates ragged (awkward) arrays, with the semantics of `anndata.concat`. */

import { parseForm, type RaggedForm } from "../arrow/ragged/form.js";
import { createRaggedForm, encodeFormJson } from "../arrow/ragged/writer.js";
import { createField, describeArrowType } from "../arrow/type.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { isJsonObject } from "../model/json-object.js";
import type { ColumnTable } from "../tables/column-table.js";
import { createListingMembers } from "../tables/reshaped-tables.js";
import { concatTableRows } from "./dense-matrices.js";
import type { Join } from "./joined-names.js";
import { castRagged, createMissingRagged } from "./ragged-columns.js";
import {
  createOptionalShape,
  getCommonShape,
  getShapeArrowType,
  type RaggedShape,
  recordNames,
  toRaggedForm,
  toRaggedShape,
  withFields,
} from "./ragged-shapes.js";

export interface RaggedPart {
  readonly source: string;
  /** The array; null if the dataset has no array of this name. */
  readonly table: ColumnTable | null;
  readonly length: number;
}

export interface RaggedOptions {
  readonly name: string;
  readonly join: Join;
  readonly lossy: boolean;
  /** Called for each change in the type of the values. */
  readonly warn: (text: string) => void;
}

/** Number of missing rows per batch. */
const MISSING_ROWS = 2 ** 16;

export function isRagged({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "awkward-array";
}

/**
 * Concatenates ragged arrays as `ak.concatenate` does. If all arrays have the same form, the result keeps it. With an
 * inner join, records have the fields that all datasets have. Rows of a dataset without the array are missing.
 * @throws {InvalidInputError} if a dataset has an array of another kind, and for values without a common type.
 */
export function concatRagged(parts: readonly RaggedPart[], options: RaggedOptions): ColumnTable {
  const { name, join, lossy, warn } = options;
  const there = parts.flatMap(({ source, table }) => (table === null ? [] : [{ source, table }]));
  const other = there.find(({ table }) => !isRagged(table));
  const ragged = there.find(({ table }) => isRagged(table));
  if (other !== undefined) {
    const problem = `it is no ragged array here, in ${ragged?.source} it is one, which are not put together`;
    throw new InvalidInputError(problem, { source: other.source, element: name });
  }
  const forms = there.map(({ source, table }) => ({ source, table, form: formIn(table) }));
  const jsons = new Set(forms.map(({ form }) => encodeFormJson(form)));
  const isAlone = there.length === 1;
  const hasCategories = forms.some(({ form }) => isCategorical(form));
  if (there.length === parts.length && jsons.size === 1 && (isAlone || !hasCategories))
    return concatTableRows(name, there);
  for (const { source, table } of forms) checkPlain(table, { source, element: name });
  const shapes = forms.map(({ form }) => toRaggedShape(form));
  const joined = join === "inner" ? withSharedFields(shapes) : shapes;
  const common = joined.reduce((all, shape, i) => commonOf(all, shape, { source: forms[i].source, element: name }));
  const shape = there.length < parts.length ? createOptionalShape(common) : common;
  const type = getShapeArrowType(shape);
  const from = [...new Set(there.map(({ table }) => describeArrowType(table.fields[0].type)))];
  if (from.length > 1 || from[0] !== describeArrowType(type))
    warn(`${name}: becomes ${describeArrowType(type)}, from ${from.join(" and ")}`);
  if (there.length < parts.length) {
    warn(`${name}: is missing in ${parts.length - there.length} of ${parts.length} datasets, whose rows have no value`);
  }
  const rows = parts.reduce((sum, { length }) => sum + length, 0);
  const [first] = there;
  const form: unknown = JSON.parse(encodeFormJson(toRaggedForm(shape)));
  return {
    ...createListingMembers(name, rows),
    fields: [createField(first.table.fields[0].name, type)],
    metadata: { kind: "awkward-array", ...first.table.metadata, form, shape: [rows] },
    repeatable: there.every(({ table }) => table.repeatable),
    async *batches(batchOptions) {
      let place = 0;
      for (const { table, length } of parts) {
        batchOptions?.signal?.throwIfAborted();
        if (table === null) {
          for (let at = 0; at < length; at += MISSING_ROWS) {
            const count = Math.min(MISSING_ROWS, length - at);
            yield { length: count, columns: [createMissingRagged(shape, count)] };
          }
          continue;
        }
        const own = shapes[place++];
        for await (const { length: count, columns } of table.batches(batchOptions)) {
          yield { length: count, columns: [castRagged(columns[0], own, shape, { lossy, element: name })] };
        }
      }
    },
  };
}

function formIn({ fields: [own], metadata, name }: ColumnTable): RaggedForm {
  const json = metadata?.form;
  if (json === undefined) return createRaggedForm(own);
  try {
    return parseForm(JSON.stringify(json));
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidDataError")) throw error;
    throw new InvalidInputError(`its metadata annarrow have no form: ${error.problem}`, { element: name });
  }
}

function isCategorical(form: RaggedForm): boolean {
  if ("categorical" in form && form.categorical) return true;
  if ("contents" in form) return form.contents.some(isCategorical);
  return "content" in form && isCategorical(form.content);
}

/**
 * Rejects awkward tuples, and parameters that are not part of a shape, because they would be lost when arrays of
 * different forms are combined.
 * @throws {InvalidInputError} for a form that contains them.
 */
function checkPlain({ metadata }: ColumnTable, at: { readonly source: string; readonly element: string }): void {
  const check = (node: unknown): void => {
    if (!isJsonObject(node)) return;
    const own = isJsonObject(node.parameters) ? Object.keys(node.parameters) : [];
    const odd = own.filter((key) => key !== "__array__");
    const isTuple = node.class === "RecordArray" && !Array.isArray(node.fields) && Array.isArray(node.contents);
    if (odd.length > 0 || isTuple) {
      const what = isTuple ? "tuples" : `parameters (${odd.join(", ")})`;
      throw new InvalidInputError(`it has ${what}, and its form differs from the ones of other datasets`, at);
    }
    check(node.content);
    for (const content of Array.isArray(node.contents) ? node.contents : []) check(content);
  };
  check(metadata?.form);
}

/** Returns the shapes, reduced to the fields that the records in all shapes share. */
function withSharedFields(shapes: readonly RaggedShape[]): readonly RaggedShape[] {
  const names = shapes.map(recordNames);
  const [first] = names;
  if (first === null || names.includes(null)) return shapes;
  const shared = first.filter((name) => names.every((own) => own?.includes(name)));
  return shapes.map((shape) => withFields(shape, shared));
}

function commonOf(
  a: RaggedShape,
  b: RaggedShape,
  at: { readonly source: string; readonly element: string },
): RaggedShape {
  try {
    return getCommonShape(a, b);
  } catch (error) {
    throw isAnnarrowError(error) ? new InvalidInputError(error.problem, at) : error;
  }
}
