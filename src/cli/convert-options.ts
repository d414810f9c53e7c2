/** Values of the options of `annarrow convert`, as they stand on the command line. */

import { InvalidArgumentError } from "commander";

export function wholeNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function zarrFormat(text: string): 2 | 3 {
  if (text === "2") return 2;
  if (text === "3") return 3;
  throw new InvalidArgumentError("Allowed choices are 2, 3.");
}

/** `rows,columns` */
export function matrixShape(text: string): readonly [number, number] {
  const found = /^(\d{1,15})[,x](\d{1,15})$/.exec(text);
  if (found === null) throw new InvalidArgumentError("It must be two numbers, as 2700,18000.");
  return [Number(found[1]), Number(found[2])];
}

type Pairs = Readonly<Record<string, string>>;

/** `name=file`, added to those before. */
export function elementFile(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=file, as obsm/X_pca=pca.parquet");
}

/** `name=column`, added to those before. */
export function indexColumn(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=column, as obs=barcode");
}

function pair(text: string, before: Pairs | undefined, form: string): Pairs {
  const found = /^([^=]+)=(.+)$/.exec(text);
  if (found === null) throw new InvalidArgumentError(`It must be ${form}.`);
  const [, name, value] = found;
  if (before !== undefined && Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value };
}
