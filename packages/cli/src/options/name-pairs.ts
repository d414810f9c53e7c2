/** Options that assign a value to a name: `--element`, `--index`, `--rename`. */

import { InvalidArgumentError } from "commander";

export type Pairs = Readonly<Record<string, string>>;

/** Adds `name=file` to the preceding pairs. */
export function addElementFile(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=file, as obsm/X_pca=pca.parquet");
}

/** Adds `name=column` to the preceding pairs. */
export function indexColumn(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=column, as obs=barcode");
}

/** Adds `name=new name` to the preceding pairs. */
export function addNewName(text: string, before: Pairs | undefined): Pairs {
  return pair(text, before, "name=new name, as obsm/X_pca=obsm/pca");
}

function pair(text: string, before: Pairs | undefined, form: string): Pairs {
  const found = /^([^=]+)=(.+)$/.exec(text);
  if (found === null) throw new InvalidArgumentError(`It must be ${form}.`);
  const [, name, value] = found;
  if (before !== undefined && Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value };
}
