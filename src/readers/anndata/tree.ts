/** Walks mappings: every leaf is an element of its own, under its path. */

import { typeText } from "../../arrow/type.js";
import type { Group } from "../../containers/container.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, located, UnsupportedError } from "../../errors.js";
import { MAX_VALUES } from "../../jobs/nodes.js";
import type { MappingNode } from "../../jobs/plan.js";
import { product } from "../../stored.js";
import { isNull } from "./array.js";
import type { Context } from "./context.js";
import { ABSENT, type Element, type TableElement } from "./element.js";
import { openElement } from "./open-element.js";

/** Deeper than any real `uns`; and more elements than any real file has. */
const MAX_DEPTH = 128;
const MAX_NODES = 1_000_000;

/** What a walk finds; an element that cannot be read does not hide the others. */
export class Found {
  readonly tables = new Map<string, TableElement>();
  readonly failures = new Map<string, AnnarrowError>();

  /** The children of a mapping; a failure to list them is noted under `name`. */
  async keys(name: string, group: Group, cx: Context): Promise<readonly string[]> {
    try {
      return await group.keys(cx.options);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      this.failures.set(name, error);
      return [];
    }
  }

  /** Opens one element; a failure of it is noted under `name`. */
  async element(name: string, open: () => Promise<Element>): Promise<Element | null> {
    try {
      return await located({ element: name }, open);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      this.failures.set(name, error);
      return null;
    }
  }
}

/** All elements below the mapping `group`, which stands under `name`; the nodes for its derived table. */
export async function walk(
  name: string,
  group: Group,
  found: Found,
  cx: Context,
  skip: ReadonlySet<string> = new Set(),
): Promise<MappingNode[]> {
  const nodes: MappingNode[] = [];
  await visit(name, group, "dict", [group.id]);
  return nodes;

  async function visit(path: string, parent: Group, type: string, ancestors: readonly string[]): Promise<void> {
    for (const key of await found.keys(path, parent, cx)) {
      const child = `${path}/${key}`;
      if (skip.has(child)) continue;
      const element = await found.element(child, async () => {
        const node = await parent.open(key, cx.options);
        // anndata 0.12 writes an absent X or raw of a nested AnnData as null.
        if (type === "anndata" && (key === "X" || key === "raw") && node.kind === "array" && isNull(node))
          return ABSENT;
        if (node.kind === "group" && ancestors.includes(node.id)) {
          throw new InvalidDataError("a link leads back to a group that holds it");
        }
        if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
        if (nodes.length >= MAX_NODES) throw new UnsupportedError(`more than ${MAX_NODES} elements below ${name}`);
        return openElement(node, cx);
      });
      if (element === null || element === ABSENT) continue;
      if (element.kind === "mapping") {
        nodes.push({ path: child, kind: element.type, type: null, shape: null, value: null });
        await visit(child, element.group, element.type, [...ancestors, element.group.id]);
      } else {
        nodes.push(nodeOf(child, element));
        found.tables.set(child, element);
      }
    }
  }
}

function nodeOf(path: string, { fields, metadata, plan }: TableElement): MappingNode {
  const { kind } = metadata;
  const shape = metadata.shape ?? null;
  const single = plan.kind === "columns" && plan.columns.length === 1 && kind !== "dataframe" && kind !== "rec-array";
  const type = single ? typeText(fields[0].type) : typeText({ id: "Struct", fields });
  const small = single && kind !== "awkward-array" && shape !== null && product(shape) <= MAX_VALUES;
  return { path, kind, type, shape, value: small ? plan.columns[0] : null };
}
