/**
 * Writes global attributes, and arrays in groups that are not elements of the format, with one table for each array.
 * Globals are in `/attrs` in 3.0.0, and are attributes of the root in 2.0.1.
 */

import type { ColumnBatch } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import type { WrittenType } from "../../arrow/written-type.js";
import type { ArrayWriter, GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import { isAnnarrowError, runWithLocation, UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import type { StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { writeColumns } from "./columns.js";
import type { LoomWriterContext } from "./context.js";
import { checkName, createStampAttributes } from "./groups.js";

/** Prefix of globals in table names, in both versions. */
const GLOBALS = "attrs";

/** Global that contains the version of the specification. Each version stores it at a different path. */
export const VERSION_NAME = "LOOM_SPEC_VERSION";

/**
 * Writes a table as the array at its path, or as an attribute of the root.
 * @returns the number of rows; null if the table is left out.
 * @throws {InvalidInputError} for values that Loom cannot represent, unless losses are allowed.
 * @throws {UnsupportedError} for a table that is not an array.
 */
export async function writeArray(table: ColumnTable, cx: LoomWriterContext): Promise<number | null> {
  const { groups } = cx;
  const { name: element } = table;
  const segments = element.split("/");
  for (const segment of segments) checkName(segment, { element });
  const name = segments[segments.length - 1];
  const parent = segments.slice(0, -1).join("/");
  const isOld = cx.version === "2.0.1" && segments[0] === GLOBALS;
  // If there is a group /attrs, loompy ignores the root's attributes. So values that can be attributes are not written
  // to /attrs.
  const asAttribute = isOld && segments.length === 2;
  if (isOld && !asAttribute) {
    cx.warn(`${element}: 2.0.1 has no groups of globals; it is written below /attrs, where few programs look`);
  }
  try {
    const one = oneColumn(table);
    const place = { group: asAttribute ? groups.root : await groups.at(parent), name, asAttribute };
    groups.stamp(asAttribute ? "" : parent, asAttribute ? null : table.metadata?.last_modified);
    return await (one.fields[0].type.id === "Null" ? writeNull : writeValues)(one, place, cx);
  } catch (error) {
    const refused = isAnnarrowError(error, "UnsupportedError") && (error.element ?? element) === element;
    if (!cx.lossy || !refused) throw error;
    cx.warn(`left out: ${element}: ${error.problem}`);
    return null;
  }
}

/** An array in a group, or an attribute of the group. */
interface GlobalPlace {
  readonly group: GroupWriter;
  readonly name: string;
  readonly asAttribute: boolean;
}

async function writeValues(
  table: ColumnTable,
  { group, name, asAttribute }: GlobalPlace,
  cx: LoomWriterContext,
): Promise<number> {
  const { name: element, metadata } = table;
  const isScalar = metadata?.shape?.length === 0;
  const field: ArrowField = { ...table.fields[0], metadata: { ...table.fields[0].metadata, ...metadata } };
  const shapeOf = ({ shape }: WrittenType): readonly [number | null, ...number[]] | readonly [] => {
    if (!isScalar) return [table.rows, ...shape];
    if (shape.length === 0) return [];
    throw new UnsupportedElementError("a scalar of several values", { element });
  };
  const open = async (form: WrittenType): Promise<ArrayWriter> =>
    asAttribute
      ? new GlobalAttribute(group, name, form, isScalar)
      : await group.array(name, {
          type: form.type,
          shape: shapeOf(form),
          ...createStampAttributes(metadata, cx.version),
        });
  const target = { element, field, place: 0, part: <T>(column: T): T => column, open };
  return await writeColumns(table, [target], isScalar ? { rows: 1, by: "a scalar" } : null, cx);
}

/** Writes an array as an attribute. All values are held in memory until the end, because attributes are small. */
class GlobalAttribute implements ArrayWriter {
  readonly path: string;
  readonly #root: GroupWriter;
  readonly #form: WrittenType;
  readonly #isScalar: boolean;
  #held: { readonly values: StoredValues; readonly rows: number } | null = null;

  constructor(root: GroupWriter, name: string, form: WrittenType, isScalar: boolean) {
    this.#root = root;
    this.path = name;
    this.#form = form;
    this.#isScalar = isScalar;
  }

  async write(values: StoredValues, rows: number): Promise<void> {
    if (this.#held !== null && this.#held.rows > 0 && rows > 0) {
      throw new UnsupportedError("a global of several batches, which 2.0.1 keeps as one attribute: give it in one");
    }
    if (this.#held === null || rows > 0) this.#held = { values, rows };
  }

  async close(): Promise<void> {
    const { type, shape } = this.#form;
    const { values, rows } = this.#held ?? { values: null, rows: 0 };
    const whole = this.#isScalar ? shape : [rows, ...shape];
    const attribute: WrittenAttribute =
      values === null ? { type, shape: null, values: null } : { type, shape: whole, values };
    this.#root.attribute(this.path, attribute);
  }
}

async function writeNull(
  table: ColumnTable,
  { group, name, asAttribute }: GlobalPlace,
  cx: LoomWriterContext,
): Promise<number> {
  for await (const _ of readTableBatches(table, cx));
  const type = { kind: "float", bits: 32 } as const;
  await runWithLocation({ element: table.name }, async () => {
    if (asAttribute) group.attribute(name, { type, shape: null, values: null });
    else await (await group.array(name, { type, shape: null })).close();
  });
  return 1;
}

/**
 * Converts a table to a single column. The columns of a record array become the fields of that column.
 * @throws {UnsupportedError} for a table that is not an array.
 */
function oneColumn(table: ColumnTable): ColumnTable {
  const { fields, metadata, name } = table;
  if (metadata?.kind !== "rec-array") {
    if (fields.length === 1) return table;
    throw new UnsupportedError(
      `a table of ${fields.length} columns; what Loom holds beside the matrix are attributes, graphs, and arrays: make an array of each column`,
      { element: name },
    );
  }
  if (fields.length === 1 && metadata.shape?.length !== 1) return table;
  const type = { id: "Struct", fields } as const;
  const stored = fields.map((field) => field.metadata ?? {});
  return {
    ...{ name, schemaMetadata: table.schemaMetadata, rows: table.rows, derived: false, repeatable: table.repeatable },
    fields: [{ name: "value", type, nullable: false }],
    metadata: { ...metadata, fields: stored },
    layouts: [],
    layout: async () => {
      throw new UnsupportedElementError("records have one layout", { element: name });
    },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const { columns, length } of table.batches(options)) {
        yield { length, columns: [{ layout: "struct", type, length, validity: null, children: columns }] };
      }
    },
  };
}
