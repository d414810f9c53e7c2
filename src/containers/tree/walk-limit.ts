/**
 * How much of a file's structure is looked at while it is opened. Links and references can lead to one object by more
 * ways than any machine can go, and all that they lead to may lie in a few blocks that are in memory: the walk is
 * counted, and lets signals be heard.
 */

import { UnsupportedError } from "../../model/errors.js";
import { LongWork } from "../../sources/event-loop.js";
import type { AttributeValue, Container, Group, Node, Reference } from "./container.js";

/** More than any real file is known to have, and still opened within seconds. */
export const MAX_OBJECTS = 2 ** 16;

/** What else is read counts as so many objects. */
const OF_ATTRIBUTE = 1 / 4;
const OF_NAME = 1 / 16;
const OF_REFERENCE = 1 / 32;
const OF_CHARACTER = 1 / 1024;

/** Looking at the clock costs as much as a small object. */
const OBJECTS_PER_LOOK = 8;

/**
 * Ends all reading of a file at once: it passes wherever a failure of one element is noted, as a cancellation does, and
 * is unpacked where the file is opened.
 */
export class WalkLimitError extends Error {
  override readonly name = "AbortError";
  /** What the caller is told. */
  readonly refusal: UnsupportedError;

  constructor(refusal: UnsupportedError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export class WalkLimit {
  readonly #max: number;
  readonly #work: LongWork;
  #count = 0;
  #counting = true;
  #looked = 0;

  /** @param max objects; `signal` is heard while they are walked. */
  constructor(max: number = MAX_OBJECTS, signal?: AbortSignal) {
    this.#max = max;
    this.#work = new LongWork(signal);
  }

  /** Counts so many objects. @throws {WalkLimitError} where they are too many. */
  count(objects: number): void {
    if (!this.#counting) return;
    this.#count += objects;
    if (this.#count > this.#max) throw new WalkLimitError(this.#refusal("the file leads to"));
  }

  /** Counts references before they are followed. @throws {UnsupportedError} where so many cannot be followed any more. */
  countReferences(references: number): void {
    if (!this.#counting) return;
    const objects = references * OF_REFERENCE;
    if (this.#count + objects > this.#max) throw this.#refusal(`${references} references here, and the file leads to`);
    this.count(objects);
  }

  /** Counts the names of a group. @throws {UnsupportedError} where so many objects cannot be opened any more. */
  countNames(names: number): void {
    if (!this.#counting) return;
    if (this.#count + names > this.#max) throw this.#refusal(`${names} links here, and the file leads to`);
    this.count(names * OF_NAME);
  }

  /** Counts the attributes of a node. @throws {WalkLimitError} */
  countAttributes(node: Node): void {
    let characters = 0;
    for (const value of node.attributes.values()) characters += sizeOf(value);
    this.count(node.attributes.size * OF_ATTRIBUTE + characters * OF_CHARACTER);
  }

  /** From time to time, a promise of a turn of the event loop, after which the signal has been heard. */
  pause(): Promise<void> | null {
    if (++this.#looked < OBJECTS_PER_LOOK) return null;
    this.#looked = 0;
    return this.#work.pause();
  }

  /** The file is open: what is read of it from now on was asked for. */
  end(): void {
    this.#counting = false;
  }

  #refusal(begin: string): UnsupportedError {
    return new UnsupportedError(
      `${begin} more than ${this.#max} objects, attributes and links; the option maxObjects (--max-objects) allows more`,
    );
  }
}

/** About how much a value takes: several attributes can point at the same long text. */
function sizeOf(value: AttributeValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof Uint8Array) return value.length;
  let size = 0;
  for (const one of Array.isArray(value) ? value : Object.values(value)) size += 4 + sizeOf(one);
  return size;
}

/** The container, every walk through which is counted. */
export function limitedContainer(container: Container, walkLimit: WalkLimit): Container {
  return {
    ...container,
    root: limitedGroup(container.root, walkLimit),
    dereference: async (reference) => {
      const pause = walkLimit.pause();
      if (pause !== null) await pause;
      return limited(await dereferenced(container, reference, walkLimit), walkLimit);
    },
  };
}

/** A reference that leads nowhere costs more than the object that it is counted as a part of: an error of its own. */
async function dereferenced(container: Container, reference: Reference, walkLimit: WalkLimit): Promise<Node> {
  try {
    return await container.dereference(reference);
  } catch (error) {
    walkLimit.count(1);
    throw error;
  }
}

function limited(node: Node, walkLimit: WalkLimit): Node {
  walkLimit.countAttributes(node);
  return node.kind === "group" ? limitedGroup(node, walkLimit) : node;
}

function limitedGroup(group: Group, walkLimit: WalkLimit): Group {
  const { kind, path, id, attributes, elementNames, openAttributes } = group;
  return {
    ...{ kind, path, id, attributes },
    ...(elementNames === undefined ? {} : { elementNames }),
    keys: async (options) => {
      const keys = await group.keys(options);
      walkLimit.countNames(keys.length);
      return keys;
    },
    open: async (name, options) => {
      walkLimit.count(1);
      const pause = walkLimit.pause();
      if (pause !== null) await pause;
      return limited(await group.open(name, options), walkLimit);
    },
    ...(openAttributes === undefined ? {} : { openAttributes: (options) => openAttributes.call(group, options) }),
  };
}
