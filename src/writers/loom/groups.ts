/** The groups of a file by their paths, and the time stamps of what was put in them. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { asciiAttribute } from "./array-types.js";
import type { WrittenLoomVersion } from "./context.js";

export class LoomGroups {
  readonly root: GroupWriter;
  readonly #version: WrittenLoomVersion;
  readonly #open = new Map<string, Promise<GroupWriter>>();
  /** The last time stamp of each group. */
  readonly #stamps = new Map<string, string>();

  constructor(root: GroupWriter, version: WrittenLoomVersion) {
    this.root = root;
    this.#version = version;
    this.#open.set("", Promise.resolve(root));
  }

  /** The group at a path, made with all above it where it is not there yet. */
  at(path: string): Promise<GroupWriter> {
    let group = this.#open.get(path);
    if (group === undefined) {
      const cut = path.lastIndexOf("/");
      group = this.at(cut < 0 ? "" : path.slice(0, cut)).then((parent) =>
        located({ element: path }, () => parent.group(path.slice(cut + 1))),
      );
      this.#open.set(path, group);
    }
    return group;
  }

  /** Notes that the group at `path`, or what is in it, was changed last at `time`, as far as that is known. */
  stamp(path: string, time: unknown): void {
    if (typeof time !== "string" || !STAMP.test(time)) return;
    const last = this.#stamps.get(path);
    if (last === undefined || last < time) this.#stamps.set(path, time);
  }

  /** Writes the stamps, once nothing is added any more. */
  async close(): Promise<void> {
    for (const [path, time] of this.#stamps) {
      (await this.at(path)).attribute("last_modified", asciiAttribute(time, this.#version));
    }
  }
}

/** ASCII without control characters. */
const STAMP = /^[\x20-\x7e]+$/;

/** The attributes of an array that remembers when it was changed last. */
export function stampOf(metadata: Readonly<Record<string, unknown>> | null | undefined, version: WrittenLoomVersion) {
  const time = metadata?.last_modified;
  if (typeof time !== "string" || !STAMP.test(time)) return {};
  return { attributes: new Map([["last_modified", asciiAttribute(time, version)]]) };
}
