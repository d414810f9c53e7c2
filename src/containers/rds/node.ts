/** R's values as the nodes of a container. */

import { InvalidDataError, NotFoundError, UnsupportedError } from "../../errors.js";
import { byCodePoint } from "../code-point-order.js";
import type { AttributeValue, Group, Node } from "../container.js";
import { attributeValues } from "./attribute-values.js";
import { textAt, textLength } from "./text.js";
import type { RList, RS4, RValue } from "./value.js";
import { vectorArray } from "./vector-array.js";

/**
 * The node that a value is.
 * @param id of its place in the tree: names may stand twice.
 * @throws {UnsupportedError} for values that are neither vectors, lists nor S4 objects.
 */
export function nodeOf(value: RValue, path: string, id: string): Node {
  switch (value.kind) {
    case "s4":
      return new ValueGroup(path, id, classAttributes(value), value.slots);
    case "list":
      return new ValueGroup(path, id, attributeValues(value.attributes), elements(value, path));
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
  readonly #children: ReadonlyMap<string, RValue>;
  #sorted: readonly string[] | null = null;

  constructor(
    path: string,
    id: string,
    attributes: ReadonlyMap<string, AttributeValue>,
    children: ReadonlyMap<string, RValue>,
  ) {
    this.path = path;
    this.id = id;
    this.attributes = attributes;
    this.#children = children;
  }

  async keys(): Promise<readonly string[]> {
    this.#sorted ??= [...this.#children.keys()].sort(byCodePoint);
    return this.#sorted;
  }

  async open(name: string): Promise<Node> {
    const path = this.path === "" ? name : `${this.path}/${name}`;
    const value = this.#children.get(name);
    if (value === undefined) throw new NotFoundError("no such slot or element", { element: path });
    // Lengths in front, so that a name with a slash is not another's path.
    return nodeOf(value, path, `${this.id}/${name.length}:${name}`);
  }
}

function classAttributes({ className, package: from }: RS4): ReadonlyMap<string, AttributeValue> {
  return new Map([["class", className], ...(from === null ? [] : [["package", from] as const])]);
}

/** The elements by their names; those without one, or with one that another has, by their positions from 1 on. */
function elements({ values, attributes }: RList, path: string): ReadonlyMap<string, RValue> {
  const names = attributes.get("names");
  const found = new Map<string, RValue>();
  for (const [i, value] of values.entries()) {
    const own = names?.kind === "character" && i < textLength(names.text) ? textAt(names.text, i) : null;
    const name = own === null || own === "" || found.has(own) ? String(i + 1) : own;
    if (found.has(name)) throw new InvalidDataError(`two elements of a list are called ${name}`, { element: path });
    found.set(name, value);
  }
  return found;
}
