/** The options of a format as a table, from which their types, the check of their values, their flags and their help derive. */

interface OptionDescription {
  /** The flag of the command line, with the name of its value: `--zarr-format <version>`. */
  readonly flag: string;
  /** Help of the flag. If several formats share a flag, their texts are joined. */
  readonly help: string;
  /** The heading in the help; the title of the format where absent. */
  readonly heading?: string;
  /** Whether every command that writes stores has the flag, and not `convert` alone. */
  readonly everywhere?: boolean;
  /** The value of the option `format` that follows from this option, where none is given. */
  readonly implies?: string;
  /** The stores of the format that have the option; all where absent. */
  readonly stores?: readonly string[];
  /** Whether the option is also about files that are read, so that an output of any format may have it. */
  readonly ofSource?: boolean;
  /** What errors add to the name of the option. */
  readonly note?: string;
}

interface NamedOption extends OptionDescription {
  /** What errors call the option: `a version of Zarr`. */
  readonly called: string;
}

/** An option with one of a few values. */
export interface ChoiceOption extends NamedOption {
  readonly kind: "choice";
  readonly values: readonly (string | number)[];
}

/** An option with any text as its value. */
export interface TextOption extends NamedOption {
  readonly kind: "text";
}

/** An option that is true or false. */
export interface ToggleOption extends NamedOption {
  readonly kind: "toggle";
  /** The value that the flag gives; true where absent. */
  readonly gives?: boolean;
}

export type FormatOption = ChoiceOption | TextOption | ToggleOption;

export type OptionTable = Readonly<Record<string, FormatOption>>;

export function choice<const V extends ChoiceOption["values"], const D extends OptionDescription>(
  values: V,
  called: string,
  description: D,
): D & { readonly kind: "choice"; readonly values: V; readonly called: string } {
  return { ...description, kind: "choice", values, called };
}

export function text<const D extends OptionDescription>(
  called: string,
  description: D,
): D & { readonly kind: "text"; readonly called: string } {
  return { ...description, kind: "text", called };
}

export function toggle<const D extends OptionDescription & { readonly gives?: boolean }>(
  called: string,
  description: D,
): D & { readonly kind: "toggle"; readonly called: string } {
  return { ...description, kind: "toggle", called };
}

/** The values of an option. */
export type OptionValue<Option> = Option extends { readonly kind: "choice"; readonly values: readonly (infer V)[] }
  ? V
  : Option extends { readonly kind: "text" }
    ? string
    : Option extends { readonly kind: "toggle" }
      ? boolean
      : never;

/** An object of options, by their table. */
export type OptionValues<Table> = { readonly [Name in keyof Table]?: OptionValue<Table[Name]> };

/** The values that an option may have; null for any text. */
export function listOptionValues(option: FormatOption): readonly unknown[] | null {
  switch (option.kind) {
    case "choice":
      return option.values;
    case "toggle":
      return [true, false];
    case "text":
      return null;
    default:
      option satisfies never;
      throw new TypeError("unknown kind of option");
  }
}

/** Whether the options in the table have values that they may have. */
export function areOptionValues<Table extends OptionTable>(
  options: unknown,
  table: Table,
): options is OptionValues<Table> {
  if (typeof options !== "object" || options === null) return false;
  return Object.entries(options).every(([name, value]) => {
    if (value === undefined || !Object.hasOwn(table, name)) return true;
    return listOptionValues(table[name])?.includes(value) ?? typeof value === "string";
  });
}

/** What errors call an option: `a version of Zarr (--zarr-format)`. */
export function optionInWords({ called, flag, note }: FormatOption): string {
  return `${called} (${flag.replace(/ .*/, "")})${note === undefined ? "" : `: ${note}`}`;
}
