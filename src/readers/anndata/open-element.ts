/** The dispatch: a node of any encoding and age -> an element. */

import type { Node } from "../../containers/tree/container.js";
import { columnRows, columnType } from "../../jobs/rows/columns.js";
import { InvalidDataError } from "../../model/errors.js";
import type { ReaderContext } from "../context.js";
import { ABSENT, type Element } from "../element.js";
import type { Below } from "../tree.js";
import { arrayElement, isNull } from "./array.js";
import { textAttribute } from "./attributes.js";
import { openColumn } from "./column.js";
import { dataframeElement } from "./dataframe.js";
import { encodingMetadata, knownEncoding } from "./registry.js";
import { sparseElement } from "./sparse.js";

/** @throws {UnsupportedError} for an encoding that is not known. */
export async function openElement(node: Node, cx: ReaderContext): Promise<Element> {
  const { type } = knownEncoding(node);
  if (node.kind === "array") return arrayElement(node);
  switch (type) {
    case "":
      return untagged(node, cx);
    case "anndata":
    case "raw":
      return { kind: "mapping", type, group: node };
    case "dict":
    case "mapping":
      return { kind: "mapping", type: "dict", group: node };
    case "csr_matrix":
    case "csc_matrix":
      return sparseElement(node, type, cx);
    case "dataframe":
      return dataframeElement(node, cx);
    default: {
      const { plan, metadata } = await openColumn(node, cx, null);
      const rows = columnRows(plan);
      return {
        kind: "table",
        fields: [{ name: "value", type: columnType(plan), nullable: true }],
        metadata: { ...metadata, shape: [rows], ...encodingMetadata(node) },
        rows,
        plan: { kind: "columns", columns: [plan] },
        shape: [rows],
      };
    }
  }
}

/** A group without tag: sparse before 0.7 where it says so, else a mapping. */
async function untagged(group: Extract<Node, { kind: "group" }>, cx: ReaderContext): Promise<Element> {
  if (!group.attributes.has("h5sparse_format")) return { kind: "mapping", type: "dict", group };
  const format = textAttribute(group, "h5sparse_format");
  if (format === "csr" || format === "csc") return sparseElement(group, `${format}_matrix`, cx);
  throw new InvalidDataError(`h5sparse_format ${JSON.stringify(format)}`, { element: group.path });
}

/** A node below a mapping. anndata 0.12 writes an absent X or raw of a nested AnnData as null. */
export async function openBelow(node: Node, cx: ReaderContext, { key, type }: Below): Promise<Element> {
  if (type === "anndata" && (key === "X" || key === "raw") && node.kind === "array" && isNull(node)) return ABSENT;
  return openElement(node, cx);
}
