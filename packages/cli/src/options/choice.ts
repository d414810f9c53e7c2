/** Options whose value is one of a few words. For any other word, the error suggests the closest one. */

import { findSimilarNames } from "annarrow/core/model";
import { InvalidArgumentError, Option } from "commander";

/**
 * An option with choices.
 * @example
 * ```ts
 * command.addOption(choice("--axis <axis>", "axis that is split", ["obs", "var"])); // --axis ob: Did you mean obs?
 * ```
 */
export function createChoiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((text) => parseChoice(text, choices));
}

/** @throws {InvalidArgumentError} for a word that is not in `choices`. */
export function parseChoice<const T extends string>(text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text);
  if (found !== undefined) return found;
  // A single letter is similar to every other letter.
  const meant = text.length > 1 ? findSimilarNames(text, choices) : [];
  const hint = meant.length === 0 ? "" : `Did you mean ${meant.join(", ")}? `;
  throw new InvalidArgumentError(`${hint}Allowed choices are ${choices.join(", ")}.`);
}
