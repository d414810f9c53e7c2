/** Refusal of outputs that lie in an open input, or contain one. */

import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { addressOf, isCloudAddress, parseAddress } from "../cloud/objects/address.js";
import { InvalidInputError } from "../model/errors.js";
import { openedPaths } from "../sources/file.node.js";

/**
 * Refuses an output within an open folder, which the output would change while the folder is read, and an output folder
 * that contains an open file or folder, which would be removed with it. Links, other spellings and other cases of one path
 * count as one path.
 *
 * The open file or folder itself may be replaced by all of its content: it is read to its end before the complete new one
 * takes its place. A hard link may be replaced, too: the other name keeps its content. A part of an open file must not
 * replace the file, since the rest would be lost.
 * @param whole the input, where only a part of it is written; null where all of it is.
 * @param input the input, which may be an address of an object store: such inputs are not known as open.
 * @throws {InvalidInputError} naming both paths.
 */
export async function refuseOverlap(
  output: string,
  whole: string | null = null,
  input: string | null = whole,
): Promise<void> {
  if (isCloudAddress(output)) return refuseAddresses(input === null ? [] : [input], output, whole === null);
  const paths = [...openedPaths()];
  if (paths.length === 0) return;
  const place = await realPlace(resolve(output));
  const own = await identityOf(place);
  const above = await identitiesAbove(place);
  if (whole !== null && own !== null && (await identityOf(whole)) === own) {
    throw new InvalidInputError("is the input, of which only a part would be left; choose another name", {
      source: output,
    });
  }
  for (const path of paths) {
    const input = await realpath(path).catch(() => null);
    if (input === null) continue;
    const identity = await identityOf(input);
    if (identity !== null && identity !== own && above.has(identity)) {
      throw new InvalidInputError(`lies in ${path}, which is open as an input; write it beside that, not into it`, {
        source: output,
      });
    }
    if (own !== null && identity !== own && (await identitiesAbove(input)).has(own)) {
      throw new InvalidInputError(`holds ${path}, which is open as an input, and would be replaced with it`, {
        source: output,
      });
    }
  }
}

/**
 * Refuses outputs that are one of the inputs, lie in one, or contain one. URLs and inputs that do not
 * exist are passed over.
 * @throws {InvalidInputError} naming both paths.
 */
export async function refuseInputs(inputs: readonly string[], outputs: readonly string[]): Promise<void> {
  const known = new Map<string, string>();
  const above = new Map<string, string>();
  for (const input of inputs) {
    const real = await realpath(pathOf(input)).catch(() => null);
    const identity = real === null ? null : await identityOf(real);
    if (real === null || identity === null) continue;
    known.set(identity, input);
    for (const folder of await identitiesAbove(real)) above.set(folder, input);
  }
  for (const output of outputs) {
    if (isCloudAddress(output)) {
      refuseAddresses(inputs, output);
      continue;
    }
    const place = await realPlace(resolve(output));
    const own = await identityOf(place);
    const same = own === null ? undefined : known.get(own);
    if (same !== undefined)
      throw new InvalidInputError(`is the input ${same}; choose another name`, { source: output });
    const inside = own === null ? undefined : above.get(own);
    if (inside !== undefined) throw new InvalidInputError(`holds the input ${inside}`, { source: output });
    for (const folder of await identitiesAbove(place)) {
      const around = known.get(folder);
      if (around !== undefined) throw new InvalidInputError(`lies in the input ${around}`, { source: output });
    }
  }
}

/**
 * Refuses an output in an object store that is one of the inputs, lies in one, or contains one.
 * @param mayReplace whether the output may be an input.
 */
function refuseAddresses(inputs: readonly string[], output: string, mayReplace = false): void {
  const place = addressText(output);
  for (const input of inputs.filter(isCloudAddress)) {
    const own = addressText(input);
    if (own === place && !mayReplace)
      throw new InvalidInputError(`is the input ${input}; choose another name`, { source: output });
    if (own.startsWith(`${place}/`)) throw new InvalidInputError(`holds the input ${input}`, { source: output });
    if (place.startsWith(`${own}/`)) throw new InvalidInputError(`lies in the input ${input}`, { source: output });
  }
}

/** One spelling of an address, without a slash at its end. */
function addressText(text: string): string {
  const address = parseAddress(text);
  return addressOf(address, address.key.replace(/\/+$/, ""));
}

function pathOf(input: string): string {
  return input.startsWith("file:") ? fileURLToPath(input) : input;
}

/** The real path behind links; for a path that does not exist yet, the real path of its existing part. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const folder = dirname(path);
  return folder === path ? path : resolve(await realPlace(folder), path.slice(folder.length).replace(/^[/\\]+/, ""));
}

/** Identifies a file or folder, however its path is written; null where there is none. */
async function identityOf(path: string): Promise<string | null> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  return info === null ? null : `${info.dev},${info.ino}`;
}

/** Identities of the folders that `path` lies in. */
async function identitiesAbove(path: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = dirname(path), last = path; at !== last; last = at, at = dirname(at)) {
    const identity = await identityOf(at);
    if (identity !== null) found.add(identity);
  }
  return found;
}
