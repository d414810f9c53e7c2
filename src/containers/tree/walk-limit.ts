/**
 * Limits the walk through a file's structure when the file is opened. Links and references can form more paths to one
 * object than can ever be followed, although all their targets may fit into a few blocks in memory. So the walk counts
 * its steps, and pauses to process abort signals.
 */

import { LongWork } from "../../io/sources/event-loop.js";
import { UnsupportedError } from "../../model/errors.js";
import type { AttributeValue, Container, Group, Node, Reference } from "./container.js";

/** Maximum number of objects. No known file has as many, and a file with so many still opens within seconds. */
export const MAX_OBJECTS = 2 ** 16;

/** Weights of an attribute, a name, a reference and a character, relative to an object. */
const OF_ATTRIBUTE = 1 / 4;
const OF_NAME = 1 / 16;
const OF_REFERENCE = 1 / 32;
const OF_CHARACTER = 1 / 1024;

/** Number of objects between two checks of the clock. A check costs as much as a small object. */
const OBJECTS_PER_LOOK = 8;

/**
 * An error that ends all reading of a file at once. Code that only records the failure of a single element passes this
 * error on, like a cancellation. It is unwrapped by the code that opens the file.
 */
export class WalkLimitError extends Error {
  override readonly name = "AbortError";
  /** The error for the caller. */
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

  /** @param max maximum number of objects; `signal` is checked while they are visited. */
  constructor(max: number = MAX_OBJECTS, signal?: AbortSignal) {
    this.#max = max;
    this.#work = new LongWork(signal);
  }

  /**
   * Counts objects.
   * @throws {WalkLimitError} if there are too many.
   */
  count(objects: number): void {
    if (!this.#counting) return;
    this.#count += objects;
    if (this.#count > this.#max) throw new WalkLimitError(this.#refusal("the file leads to"));
  }

  /**
   * Counts references before they are followed.
   * @throws {UnsupportedError} if the remaining limit does not allow following so many.
   */
  countReferences(references: number): void {
    if (!this.#counting) return;
    const objects = references * OF_REFERENCE;
    if (this.#count + objects > this.#max) throw this.#refusal(`${references} references here, and the file leads to`);
    this.count(objects);
  }

  /**
   * Counts the names in a group.
   * @throws {UnsupportedError} if the remaining limit does not allow opening so many objects.
   */
  countNames(names: number): void {
    if (!this.#counting) return;
    if (this.#count + names > this.#max) throw this.#refusal(`${names} links here, and the file leads to`);
    this.count(names * OF_NAME);
  }

  /**
   * Counts a node's attributes.
   * @throws {WalkLimitError}
   */
  countAttributes(node: Node): void {
    let characters = 0;
    for (const value of node.attributes.values()) characters += sizeOf(value);
    this.count(node.attributes.size * OF_ATTRIBUTE + characters * OF_CHARACTER);
  }

  /** From time to time, returns a promise that yields to the event loop, so that abort signals are processed. */
  pause(): Promise<void> | null {
    if (++this.#looked < OBJECTS_PER_LOOK) return null;
    this.#looked = 0;
    return this.#work.pause();
  }

  /** Stops counting once the file is open, because from then on the caller requests every read. */
  end(): void {
    this.#counting = false;
  }

  #refusal(begin: string): UnsupportedError {
    return new UnsupportedError(
      `${begin} more than ${this.#max} objects, attributes and links; the option maxObjects (--max-objects) allows more`,
    );
  }
}

/** Returns the approximate size of a value. Several attributes can refer to the same long text. */
function sizeOf(value: AttributeValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof Uint8Array) return value.length;
  let size = 0;
  for (const one of Array.isArray(value) ? value : Object.values(value)) size += 4 + sizeOf(one);
  return size;
}

/** Wraps the container so that every walk through it is counted. */
export function createLimitedContainer(container: Container, walkLimit: WalkLimit): Container {
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

/**
 * Follows a reference. A broken reference costs more than the fraction of an object that it counts for, because it
 * creates an error.
 */
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
  const { kind, path, id, attributes, elementNames, namedTypeId, openAttributes, attributeTypes } = group;
  return {
    ...{ kind, path, id, attributes },
    elementNames,
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
    namedTypeId: namedTypeId === undefined ? undefined : (...given) => namedTypeId.call(group, ...given),
    attributeTypes: attributeTypes === undefined ? undefined : (options) => attributeTypes.call(group, options),
    openAttributes: openAttributes === undefined ? undefined : (options) => openAttributes.call(group, options),
  };
}
