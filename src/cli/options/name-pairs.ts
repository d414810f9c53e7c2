/** Options that give something to a name: `--element`, `--index`, `--rename`. */

import { InvalidArgumentError } from "commander";

export type Pairs = Readonly<Record<string, string>>;

/** `name=file`, added to those before. */
export function elementFile(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=file, as obsm/X_pca=pca.parquet");
}

/** `name=column`, added to those before. */
export function indexColumn(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=column, as obs=barcode");
}

/** `name=new name`, added to those before. */
export function newName(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=new name, as obsm/X_pca=obsm/pca");
}

function pair(text: string, before: Pairs | undefined, form: string): Pairs {
  const found = /^([^=]+)=(.+)$/.exec(text);
  if (found === null) throw new InvalidArgumentError(`It must be ${form}.`);
  const [, name, value] = found;
  if (before !== undefined && Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value };
}
