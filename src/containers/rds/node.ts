/** R's values as the nodes of a container. */

import { NotFoundError, UnsupportedError } from "../../model/errors.js";
import { byCodePoint } from "../tree/code-point-order.js";
import type { AttributeValue, Group, Node } from "../tree/container.js";
import { attributeValues } from "./model/attribute-values.js";
import { textAt, textLength } from "./model/text.js";
import type { RAttributes, RList, RS4, RValue } from "./model/value.js";
import { vectorArray } from "./vector-array.js";

/**
 * The node that a value is.
 * @param id of its place in the tree: names may stand twice.
 * @throws {UnsupportedError} for values that are neither vectors, lists nor S4 objects.
 */
export function nodeOf(value: RValue, path: string, id: string): Node {
  switch (value.kind) {
    case "s4":
      return new ValueGroup(path, id, classAttributes(value), sorted(value.slots), null);
    case "list": {
      const names = namesOf(value);
      return new ValueGroup(path, id, attributeValues(value.attributes), elements(value, names), names);
    }
    case "null":
    case "logical":
    case "integer":
    case "real":
    case "complex":
    case "character":
    case "raw":
      return vectorArray(value, path, id);
    case "pairlist":
    case "language":
    case "symbol":
    case "environment":
    case "named":
    case "namespace":
    case "package":
    case "external pointer":
      throw new UnsupportedError(`an R value of the kind ${value.kind}`, { element: path });
    default:
      return value satisfies never;
  }
}

class ValueGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly listed: readonly (string | null)[] | null;
  readonly #children: ReadonlyMap<string, RValue>;

  constructor(
    path: string,
    id: string,
    attributes: ReadonlyMap<string, AttributeValue>,
    children: ReadonlyMap<string, RValue>,
    listed: readonly (string | null)[] | null,
  ) {
    this.path = path;
    this.id = id;
    this.attributes = attributes;
    this.listed = listed;
    this.#children = children;
  }

  async keys(): Promise<readonly string[]> {
    return [...this.#children.keys()];
  }

  async open(name: string): Promise<Node> {
    const path = this.path === "" ? name : `${this.path}/${name}`;
    const value = this.#children.get(name);
    if (value === undefined) throw new NotFoundError("no such slot or element", { element: path });
    // Lengths in front, so that a name with a slash is not another's path.
    return nodeOf(value, path, `${this.id}/${name.length}:${name}`);
  }
}

function sorted(slots: RAttributes): RAttributes {
  return new Map([...slots].sort(([a], [b]) => byCodePoint(a, b)));
}

function classAttributes({ className, package: from }: RS4): ReadonlyMap<string, AttributeValue> {
  return new Map([["class", className], ...(from === null ? [] : [["package", from] as const])]);
}

/** What R calls the elements, null for each of a list without names. NA is the text that R shows. */
function namesOf({ values, attributes }: RList): readonly (string | null)[] {
  const names = attributes.get("names");
  if (names?.kind !== "character") return values.map(() => null);
  const { text } = names;
  return values.map((_, i) => (i < textLength(text) ? (textAt(text, i) ?? "NA") : ""));
}

/**
 * The elements by their names, in the order of the list; those without one, or with one that another has, by their
 * positions from 1 on, with more behind it where that is a name.
 */
function elements({ values }: RList, names: readonly (string | null)[]): ReadonlyMap<string, RValue> {
  const own = new Set(names);
  const found = new Map<string, RValue>();
  for (const [i, value] of values.entries()) {
    let key = names[i];
    if (key === null || key === "" || found.has(key)) {
      key = String(i + 1);
      for (let more = 1; own.has(key) || found.has(key); more++) key = `${i + 1}_${more}`;
    }
    found.set(key, value);
  }
  return found;
}
