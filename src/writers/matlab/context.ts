/** What the writing of every value needs to know. */

import type { ContainerWriter } from "../../containers/container-writer.js";
import { InvalidInputError } from "../../errors.js";
import type { Spill } from "../../external-sort/spill.js";
import type { RowsContext } from "../../tables/rows.js";
import type { References } from "./references.js";

/** As MATLAB writes files, or with the attributes by which hdf5storage gives Python's types back. */
export type MatProfile = "MATLAB" | "hdf5storage";

/** A container whose values can refer to its elements. */
export interface MatContainer extends ContainerWriter {
  reference(path: string): bigint;
}

export interface Context extends RowsContext {
  readonly profile: MatProfile;
  readonly lossy: boolean;
  readonly references: References;
  readonly spill: Spill | null;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
}

/**
 * Notes that a value or element is written in another form, or not at all, where the caller allows that.
 * @throws {InvalidInputError} where not; it says what to do instead.
 */
export function lose(cx: Context, element: string, problem: string, instead: string, remedy: string): void {
  if (!cx.lossy) throw new InvalidInputError(`${problem}; ${remedy}, or allow losses: then ${instead}`, { element });
  cx.warn(`${element}: ${problem}; ${instead}`);
}
