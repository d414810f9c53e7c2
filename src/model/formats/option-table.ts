/**
 * Tables that describe the options of a format. The options' types, the validation of their values, their flags and
 * their help are all derived from them.
 */

interface OptionDescription {
  /** The flag of the command line, with the name of its value: `--zarr-format <version>`. */
  readonly flag: string;
  /** Help of the flag. If several formats share a flag, their help texts are joined. */
  readonly help: string;
  /** The heading in the help; the title of the format if absent. */
  readonly heading?: string;
  /** Whether all commands that write stores have the flag, and not only `convert`. */
  readonly everywhere?: boolean;
  /** The value of the option `format` that this option implies if no format is given. */
  readonly implies?: string;
  /** The stores of the format that have the option; all if absent. */
  readonly stores?: readonly string[];
  /** Whether the option also applies to files that are read. If so, it is valid with an output of any format. */
  readonly ofSource?: boolean;
  /** The text that error messages add to the option's name. */
  readonly note?: string;
}

interface NamedOption extends OptionDescription {
  /** The option's name in error messages: `a version of Zarr`. */
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
  /** The value that the flag sets; true if absent. */
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

/** The values of all options in a table, as an object. */
export type OptionValues<Table> = { readonly [Name in keyof Table]?: OptionValue<Table[Name]> };

/** The allowed values of an option; null if any text is allowed. */
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

/** Whether all options have values that the table allows. */
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

/** The name of an option in error messages: `a version of Zarr (--zarr-format)`. */
export function optionInWords({ called, flag, note }: FormatOption): string {
  return `${called} (${flag.replace(/ .*/, "")})${note === undefined ? "" : `: ${note}`}`;
}
