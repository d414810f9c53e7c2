/**
 * An R object whose large vectors are compressed as they arrive, and then released from memory. The structure of the
 * object that contains them is written last.
 */

import type { ByteTarget } from "annarrow/core/io";
import { locateError } from "annarrow/core/model";
import { countTextStrings, decodeStringAt } from "../model/text.js";
import type { RAttributes, RCharacter, RComplex, RInteger, RLogical, RReal, RValue } from "../model/value.js";
import { NO_ATTRIBUTES } from "../model/value.js";
import { PartStore, type PartStoreOptions } from "./part-store.js";
import { Section, type SpooledElements } from "./spooled.js";
import { encodeDocumentChunks } from "./write.js";

export interface DocumentOptions extends PartStoreOptions {
  readonly signal?: AbortSignal;
}

/** Vectors whose elements may be spooled. */
export type SpooledVector = RLogical | RInteger | RReal | RComplex | RCharacter;

export class RdsDocument {
  readonly #store: PartStore;
  readonly #target: ByteTarget;
  readonly #signal: AbortSignal | undefined;
  readonly #spooled = new Map<RValue, SpooledElements>();

  /** @param target the target. The caller commits or aborts it. */
  constructor(target: ByteTarget, { signal, ...options }: DocumentOptions) {
    this.#store = new PartStore(options);
    this.#target = target;
    this.#signal = signal;
  }

  /** Creates a section for elements. @param wordBytes bytes of each number; 1 for texts. */
  section(wordBytes: 1 | 4 | 8): Section {
    return new Section(this.#store, wordBytes);
  }

  /** Creates a vector from the elements of these sections. */
  vector(
    kind: SpooledVector["kind"],
    length: number,
    sections: readonly Section[],
    attributes: RAttributes = NO_ATTRIBUTES,
  ): SpooledVector {
    const vector = emptyVector(kind, attributes);
    this.#spooled.set(vector, { length, sections });
    return vector;
  }

  /** Returns the same vector with the given attributes. */
  withAttributes(vector: SpooledVector, attributes: RAttributes): SpooledVector {
    const other = { ...vector, attributes };
    const elements = this.#spooled.get(vector);
    if (elements !== undefined) this.#spooled.set(other, elements);
    return other;
  }

  /** True if two spooled vectors are known to have equal elements and equal levels. */
  async isSame(a: SpooledVector, b: SpooledVector): Promise<boolean> {
    const [one, other] = [this.#spooled.get(a), this.#spooled.get(b)];
    if (one === undefined || other === undefined || a.kind !== b.kind || one.length !== other.length) return false;
    if (attributesText(a) !== attributesText(b)) return false;
    for (const [i, section] of one.sections.entries()) {
      if (!(await this.#store.isSame(section, other.sections[i]))) return false;
    }
    return true;
  }

  async close(root: RValue): Promise<void> {
    try {
      const parts = [];
      let between = new Section(this.#store, 1);
      for (const block of encodeDocumentChunks(root, { spooled: this.#spooled })) {
        if (block instanceof Uint8Array) {
          await between.add(block);
          continue;
        }
        for (const section of block.sections) {
          const { parts: own, rest } = section.finish();
          if (own.length > 0) {
            parts.push(...(await between.end()), ...own);
            between = new Section(this.#store, 1);
          }
          await between.add(rest);
        }
      }
      parts.push(...(await between.end()));
      await this.#store.write(parts, this.#target, this.#signal);
    } catch (error) {
      throw error instanceof TypeError ? error : locateError(error, { source: this.#target.name });
    }
  }

  /** Removes temporary data. Must always be called. */
  release(): Promise<void> {
    return this.#store.close();
  }
}

/** Serializes classes and levels as text. */
function attributesText({ attributes }: SpooledVector): string {
  const texts = [...attributes].map(([name, value]) =>
    value.kind === "character"
      ? [name, Array.from({ length: countTextStrings(value.text) }, (_, i) => decodeStringAt(value.text, i))]
      : [name, value.kind],
  );
  return JSON.stringify(texts);
}

function emptyVector(kind: SpooledVector["kind"], attributes: RAttributes): SpooledVector {
  switch (kind) {
    case "character":
      return {
        kind,
        text: { offsets: new Int32Array(1), bytes: new Uint8Array(), encodings: new Uint8Array() },
        attributes,
      };
    case "real":
    case "complex":
      return { kind, values: new Float64Array(), attributes };
    case "integer":
    case "logical":
      return { kind, values: new Int32Array(), attributes };
    default:
      return kind satisfies never;
  }
}
