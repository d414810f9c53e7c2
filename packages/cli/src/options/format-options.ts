/** Flags for the options of formats, generated from the descriptions in the formats. */

import { type AnyFormatOptions, listFormats, listOptionValues } from "annarrow/core/model";
import type { FormatOption } from "annarrow/format";
import { type Command, Option } from "commander";
import { parseChoice } from "./choice.js";

/** The parsed flags, which contain the options of all formats. */
export interface FormatFlags {
  readonly formatOptions?: AnyFormatOptions;
}

/** A flag of an option that some formats have. */
interface SharedFlag {
  readonly name: string;
  readonly heading: string;
  readonly options: readonly FormatOption[];
}

/** A flag whose value goes to `formatOptions`, because a command's other flags may have the same names as options. */
class FormatFlag extends Option {
  override attributeName(): keyof FormatFlags {
    return "formatOptions";
  }
}

/** The flags of all formats, in the order of the formats. */
function listFlags(): readonly SharedFlag[] {
  const flags = new Map<string, SharedFlag>();
  for (const { title, options } of listFormats()) {
    for (const [name, option] of Object.entries(options)) {
      const { name: known = name, heading = option.heading ?? title, options = [] } = flags.get(option.flag) ?? {};
      flags.set(option.flag, { name: known, heading, options: [...options, option] });
    }
  }
  return [...flags.values()];
}

/** Adds the flags that are shared by all commands that write stores. */
export function addSharedFormatOptions(command: Command): Command {
  return addFlags(command, (flag) => flag.options.some(({ everywhere }) => everywhere));
}

/** Adds the flags that only `convert` has: those below `heading`, or for null all of them, below their own headings. */
export function addFormatOptions(command: Command, heading: string | null): Command {
  const others = listFlags().filter(({ options }) => options.every(({ everywhere }) => !everywhere));
  if (heading !== null)
    return addFlags(command, (flag) => others.some(({ name }) => name === flag.name) && flag.heading === heading);
  for (const own of new Set(others.map((flag) => flag.heading))) {
    if (own !== "Output") addFormatOptions(command.optionsGroup(`${own}:`), own);
  }
  return command;
}

function addFlags(command: Command, has: (flag: SharedFlag) => boolean): Command {
  for (const flag of listFlags().filter(has)) command.addOption(optionOf(flag));
  return command;
}

/** Returns the flag for the command line, with the help texts and values of all formats that have it. */
function optionOf({ name, options }: SharedFlag): Option {
  const [first] = options;
  const flag = new FormatFlag(first.flag, [...new Set(options.map(({ help }) => help))].join("; "));
  const set = (before: AnyFormatOptions | undefined, value: unknown) => ({ ...before, [name]: value });
  if (first.kind === "toggle") {
    return flag.preset(first.gives ?? true).argParser((value, before?: AnyFormatOptions) => set(before, value));
  }
  if (first.kind === "text") return flag.argParser((value, before?: AnyFormatOptions) => set(before, value));
  const values = new Map(
    options.flatMap((option) => listOptionValues(option) ?? []).map((value) => [String(value), value]),
  );
  const words = [...values.keys()];
  return flag
    .choices(words)
    .argParser((text, before?: AnyFormatOptions) => set(before, values.get(parseChoice(text, words))));
}

/** Returns the `format` that is implied by an option which only one format has. */
export function impliedFormat(given: AnyFormatOptions = {}): string | undefined {
  const isGiven = (name: string) => Object.entries(given).some(([one, value]) => one === name && value !== undefined);
  const implying = listFormats().flatMap(({ options }) => Object.entries(options));
  return implying.find(([name, { implies }]) => implies !== undefined && isGiven(name))?.[1].implies;
}
