/** A viewer's inputs by name: files, folders that are a dataset, addresses, and files in other folders. */

import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Folders, isDataset } from "@annarrow/flight/node";
import { InvalidInputError, NotFoundError } from "annarrow";
import { findNearestNames, hasScheme } from "annarrow/core/model";
import { createInputPathError, getFileIdentity } from "annarrow/node/io";
import type { ViewInputs } from "../view-request.js";

/** Maximum number of files listed from folders. */
const MAX_LISTED = 5000;

/** A single input, and the argument for `open` that opens it. */
interface SingleInput {
  readonly path: string;
  readonly isRemote: boolean;
}

export class ViewInputList {
  readonly #single: ReadonlyMap<string, SingleInput>;
  readonly #folders: Folders | null;

  private constructor(single: ReadonlyMap<string, SingleInput>, folders: Folders | null) {
    this.#single = single;
    this.#folders = folders;
  }

  /**
   * @param paths the command-line arguments, in which patterns have been expanded.
   * @throws {NotFoundError} for a path that does not exist.
   */
  static async of(paths: readonly string[]): Promise<ViewInputList> {
    const folders: string[] = [];
    const single: SingleInput[] = [];
    for (const path of paths) {
      if (hasScheme(path)) {
        single.push({ path, isRemote: true });
        continue;
      }
      const info = await stat(path).catch(async (cause: unknown) => {
        throw await createInputPathError(cause, path);
      });
      if (info.isDirectory() && !(await isDataset(resolve(path), info))) folders.push(path);
      else single.push({ path, isRemote: false });
    }
    const named = namesOf(single);
    return new ViewInputList(named, folders.length === 0 ? null : await Folders.open(folders));
  }

  /** Returns names and sizes. Folders are read again on each call. */
  async list(): Promise<ViewInputs["inputs"]> {
    const listed: { readonly name: string; readonly bytes: number | null }[] = [];
    for (const [name, { path, isRemote }] of this.#single) {
      listed.push({ name, bytes: isRemote ? null : await sizeOf(path) });
    }
    if (this.#folders === null) return listed;
    for await (const dataset of this.#folders.list()) {
      if (listed.length >= MAX_LISTED) break;
      if (!this.#single.has(dataset.name)) listed.push(dataset);
    }
    return listed;
  }

  /** Returns a text that changes when the file's size or times change. */
  async versionOf(name: string): Promise<string> {
    const info = await stat(await this.pathOf(name)).catch(() => null);
    return info === null ? "" : getFileIdentity(info);
  }

  /**
   * Returns the path or address with which `open` opens an input.
   * @throws {NotFoundError} for a name that is not an input.
   */
  async pathOf(name: string): Promise<string> {
    const single = this.#single.get(name);
    if (single !== undefined) return single.path;
    const missing = () => {
      const near = findNearestNames(name, [...this.#single.keys()]);
      const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`;
      return new NotFoundError(`nothing is shown as ${JSON.stringify(name)}${hint}`);
    };
    if (this.#folders === null) throw missing();
    const { found, rest } = await this.#folders.find(name.split("/"));
    if (rest !== "") throw missing();
    return found.path;
  }
}

/** Names each input by its last path segment, or by its whole path if several inputs have the same last segment. */
function namesOf(inputs: readonly SingleInput[]): ReadonlyMap<string, SingleInput> {
  const short = inputs.map(shortName);
  const named = new Map<string, SingleInput>();
  for (const [i, input] of inputs.entries()) {
    const isAlone = short.filter((name) => name === short[i]).length === 1;
    const name = isAlone ? short[i] : input.path;
    if (named.has(name)) throw new InvalidInputError("is given twice", { source: input.path });
    named.set(name, input);
  }
  return named;
}

function shortName({ path, isRemote }: SingleInput): string {
  if (!isRemote) return basename(resolve(path)) || path;
  const { pathname, host } = new URL(path);
  const last = pathname.split("/").findLast((segment) => segment !== "") ?? host;
  try {
    return decodeURIComponent(last) || path;
  } catch {
    return last;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  const info = await stat(path).catch(() => null);
  return info?.isFile() ? info.size : null;
}
