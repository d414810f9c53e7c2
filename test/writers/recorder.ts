/** A container in memory that keeps what is written, and checks that the writer keeps to the contract. */

import type {
  ArrayDescription,
  ArrayWriter,
  ContainerWriter,
  GroupWriter,
  WrittenAttribute,
} from "../../src/containers/tree/container-writer.js";
import { InvalidInputError } from "../../src/model/errors.js";
import { allocate, countElements, type StoredType, type StoredValues } from "../../src/model/stored.js";

/** JSON-like value: 64-bit integers as bigint, text as string, bool as boolean. */
export type Value = string | number | bigint | boolean | null | readonly Value[] | { readonly [name: string]: Value };

export interface Recorded {
  readonly attributes: Record<string, Value>;
  /** Absent for a group. */
  readonly type?: string;
  /** null for a null dataspace; the first dimension as it was announced, null where the end told it. */
  readonly announced?: ArrayDescription["shape"];
  readonly values?: readonly Value[];
  readonly writes?: number;
}

export class Recorder implements ContainerWriter {
  readonly kind: ContainerWriter["kind"];
  readonly name = "recorder";
  readonly root: GroupWriter;
  readonly nodes = new Map<string, Recorded>();
  #open = 0;
  /** The most arrays that were open at the same time. */
  mostOpen = 0;

  constructor(kind: ContainerWriter["kind"] = "hdf5") {
    this.kind = kind;
    this.root = this.#group("", new Map());
  }

  async close(): Promise<void> {
    if (this.#open > 0) throw new TypeError(`${this.#open} arrays are still open`);
  }

  /** What stands at `path`. */
  at(path: string): Recorded {
    const node = this.nodes.get(path);
    if (node === undefined) throw new Error(`nothing at ${path}; there are ${[...this.nodes.keys()].join(", ")}`);
    return node;
  }

  /** Paths below `path`, sorted. */
  below(path: string): string[] {
    return [...this.nodes.keys()].filter((one) => one.startsWith(path)).sort();
  }

  #group(path: string, attributes: ReadonlyMap<string, WrittenAttribute>): GroupWriter {
    const node: Recorded = { attributes: Object.fromEntries([...attributes].map(([k, v]) => [k, attributeValue(v)])) };
    this.#add(path, node);
    const child = (name: string) => (path === "" ? name : `${path}/${name}`);
    return {
      path,
      attribute: (name, value) => {
        node.attributes[name] = attributeValue(value);
      },
      group: async (name, own = new Map()) => this.#group(child(name), own),
      array: async (name, description) => this.#array(child(name), description),
    };
  }

  #array(path: string, description: ArrayDescription): ArrayWriter {
    const { type, shape, attributes = new Map() } = description;
    if (type.kind === "sequence") throw new TypeError("no sequences in AnnData");
    const parts: Value[] = [];
    let rows = 0;
    let writes = 0;
    this.#open++;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    const per = shape === null ? 0 : countElements(shape.slice(1).map(Number));
    const total = shape === null ? 0 : shape.length === 0 ? 1 : shape[0];
    return {
      path,
      write: async (values, count) => {
        const plain = plainValues(type, values, count * per);
        rows += count;
        writes++;
        if (typeof total === "number" && rows > total)
          throw new TypeError(`${path}: ${rows} rows, the shape has ${total}`);
        for (const value of plain) parts.push(value);
      },
      close: async () => {
        if (total !== null && rows !== total) throw new TypeError(`${path}: ${rows} rows, the shape has ${total}`);
        this.#open--;
        const own = Object.fromEntries([...attributes].map(([k, v]) => [k, attributeValue(v)]));
        this.#add(path, { attributes: own, type: typeName(type), announced: shape, values: parts, writes });
      },
    };
  }

  #add(path: string, node: Recorded): void {
    if (this.nodes.has(path)) throw new InvalidInputError(`${path} is there already`);
    this.nodes.set(path, node);
  }
}

function attributeValue({ type, shape, values }: WrittenAttribute): Value {
  if (shape === null || values === null || type.kind === "sequence") return null;
  const plain = plainValues(type, values, countElements(shape));
  return shape.length === 0 ? plain[0] : plain;
}

/** @throws {TypeError} where the values are not of the type, or not `count`. */
export function plainValues(type: StoredType, values: StoredValues, count: number): Value[] {
  switch (values.kind) {
    case "fixed": {
      const per = type.kind === "complex" ? 2 : type.kind === "bytes" ? (type.width ?? 1) : 1;
      const array = values.values;
      if (array.length !== count * per || array.constructor !== allocate(type, 0).constructor) {
        throw new TypeError(`${array.constructor.name} of ${array.length} for ${count} values of ${typeName(type)}`);
      }
      const plain: Value[] = [];
      for (let i = 0; i < count; i++) {
        if (per === 1) plain.push(type.kind === "bool" ? array[i] === 1 : array[i]);
        else plain.push(Array.from({ length: per }, (_, k) => array[i * per + k]));
      }
      return plain;
    }
    case "variable": {
      if (type.kind !== "text" && !(type.kind === "bytes" && type.width === null)) {
        throw new TypeError(`text for values of ${typeName(type)}`);
      }
      const { offsets, bytes } = values;
      if (offsets.length !== count + 1) throw new TypeError(`${offsets.length - 1} texts, ${count} expected`);
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
      return Array.from({ length: count }, (_, i) => decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])));
    }
    case "record": {
      if (type.kind !== "record" || values.length !== count) throw new TypeError(`${values.length} records`);
      const columns = type.fields.map((field, i) =>
        plainValues(field.type, values.fields[i], count * countElements(field.shape)),
      );
      return Array.from({ length: count }, (_, row) =>
        Object.fromEntries(
          type.fields.map((field, i) => {
            const per = countElements(field.shape);
            const part = columns[i].slice(row * per, (row + 1) * per);
            return [field.name, field.shape.length === 0 ? part[0] : part];
          }),
        ),
      );
    }
    case "sequence":
      throw new TypeError("no sequences in AnnData");
    default:
      return values satisfies never;
  }
}

export function typeName(type: StoredType): string {
  switch (type.kind) {
    case "int":
      return `${type.signed ? "int" : "uint"}${type.bits}`;
    case "float":
    case "complex":
      return `${type.kind}${type.bits}`;
    case "text":
      return type.storage.form === "variable" ? "text" : `text ${type.storage.encoding} ${type.storage.width}`;
    case "record":
      return `{${type.fields.map((field) => `${field.name}: ${typeName(field.type)}`).join(", ")}}`;
    default:
      return type.kind;
  }
}
