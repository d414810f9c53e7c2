/** Creates a file's groups by path, preserves their time stamps, and checks element names. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, type Location, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import { findNearestNames } from "../../model/nearest.js";
import { type ColumnTable, isUnderItsName } from "../../tables/column-table.js";
import { GroupsByPath } from "../groups.js";
import { createAsciiAttribute, type WrittenLoomVersion } from "./stored-types.js";

export class LoomGroups {
  readonly root: GroupWriter;
  readonly #version: WrittenLoomVersion;
  readonly #groups: GroupsByPath;
  /** Latest time stamp of each group. */
  readonly #stamps = new Map<string, string>();

  constructor(root: GroupWriter, version: WrittenLoomVersion) {
    this.root = root;
    this.#version = version;
    this.#groups = new GroupsByPath(root, (parent, name, path) =>
      runWithLocation({ element: path }, () => parent.group(name)),
    );
  }

  /** Returns the group at a path. A group and its parents are created when the group is first requested. */
  at(path: string): Promise<GroupWriter> {
    return this.#groups.at(path);
  }

  /**
   * Records `time`, if it is a valid time stamp, as a modification time of the group at `path` or of its content. The
   * latest time is used.
   */
  stamp(path: string, time: unknown): void {
    if (typeof time !== "string" || !STAMP.test(time)) return;
    const last = this.#stamps.get(path);
    if (last === undefined || last < time) this.#stamps.set(path, time);
  }

  /** Writes the time stamps after all elements. */
  async close(): Promise<void> {
    for (const [path, time] of this.#stamps) {
      (await this.at(path)).attribute("last_modified", createAsciiAttribute(time, this.#version));
    }
  }
}

/** Matches ASCII text without control characters. */
const STAMP = /^[\x20-\x7e]+$/;

/** Returns the time stamp attributes for an array whose metadata contain the time of its last modification. */
export function createStampAttributes(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  version: WrittenLoomVersion,
) {
  const time = metadata?.last_modified;
  if (typeof time !== "string" || !STAMP.test(time)) return {};
  return { attributes: new Map([["last_modified", createAsciiAttribute(time, version)]]) };
}

/**
 * Checks one segment of a path.
 * @throws {InvalidInputError} for a name that is not a single path segment.
 */
export function checkName(name: string, location: Location): void {
  const shown = JSON.stringify(name);
  const problem =
    name === ""
      ? "an empty name"
      : name === "." || name === ".."
        ? `the name ${shown} stands for another group`
        : name.includes("/")
          ? `the name ${shown} has a "/", which separates groups in Loom`
          : name.includes("\0")
            ? `the name ${shown} has a NUL`
            : null;
  if (problem !== null) throw new UnsupportedElementError(`${problem}: rename it`, location);
}

const ALONE = ["matrix", "row_attrs", "col_attrs"];
const GROUPS = ["layers", "row_graphs", "col_graphs", "attrs"];

/**
 * Checks a table's name.
 * @throws {InvalidInputError} for a name that no element has, unless the table was opened under that name.
 */
export function checkElement(table: ColumnTable): void {
  const { name } = table;
  const [top, ...rest] = name.split("/");
  if (ALONE.includes(top) || GROUPS.includes(top.replace("edges", "graphs")) || isUnderItsName(table)) return;
  const near = findNearestNames(name, rest.length === 0 ? ALONE : GROUPS.map((group) => [group, ...rest].join("/")));
  const known = [...ALONE, ...GROUPS.map((group) => `${group}/NAME`)].join(", ");
  throw new InvalidInputError(`no element of that name: did you mean ${near[0]}? There are ${known}`, {
    element: name,
  });
}
