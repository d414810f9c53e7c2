/** Objects of a file as nodes of the container's tree. */

import { InvalidDataError, located, UnsupportedError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { byCodePoint } from "../code-point-order.js";
import type { Group, Node } from "../container.js";
import { type ArrayContext, hdf5Array } from "./array.js";
import { attributeArrays } from "./attribute-arrays.js";
import { readAttributes } from "./attributes.js";
import { describeDataset } from "./dataset.js";
import { isGroup } from "./group-links.js";
import { type HeaderMessage, MESSAGE, readObjectHeader } from "./object-header.js";
import type { Objects, Place } from "./objects.js";

export interface NodeContext extends ArrayContext {
  readonly objects: Objects;
}

/**
 * @param path in the container, without leading slash; it may lead over soft links.
 * @throws {UnsupportedError} for named datatypes.
 * @throws {InvalidDataError} where there is no object, or a damaged one.
 */
export async function openNode(context: NodeContext, path: string, place: Place, options?: ReadOptions): Promise<Node> {
  const { file } = context;
  const at = place.hardPath === "" ? "/" : place.hardPath;
  const messages = await readObjectHeader(file, place.address, options);
  const kind = objectKind(messages);
  switch (kind) {
    case "group": {
      const attributes = await readAttributes(file, messages, options);
      return hdf5Group(context, path, place, attributes, messages);
    }
    case "dataset": {
      const dataset = describeDataset(messages, file);
      const attributes = await readAttributes(file, messages, options);
      return hdf5Array(context, path, at, String(place.address), attributes, dataset);
    }
    case "datatype":
      throw new UnsupportedError("a named datatype, which is neither group nor array");
    case "other":
      throw new InvalidDataError("neither group nor dataset");
    default:
      return kind satisfies never;
  }
}

function objectKind(messages: readonly HeaderMessage[]): "group" | "dataset" | "datatype" | "other" {
  const has = (wanted: number) => messages.some(({ type }) => type === wanted);
  if (isGroup(messages)) return "group";
  if (has(MESSAGE.dataspace) || has(MESSAGE.layout)) return "dataset";
  return has(MESSAGE.datatype) ? "datatype" : "other";
}

function hdf5Group(
  context: NodeContext,
  path: string,
  place: Place,
  attributes: Group["attributes"],
  messages: readonly HeaderMessage[],
): Group {
  const { objects, source } = context;
  return {
    kind: "group",
    path,
    id: String(place.address),
    attributes,
    keys: (options) =>
      located({ source, element: path }, async () => {
        options?.signal?.throwIfAborted();
        const links = await objects.links(place, options);
        return [...(links?.names() ?? [])].sort(byCodePoint);
      }),
    open: (name, options) => {
      const element = path === "" ? name : `${path}/${name}`;
      return located({ source, element }, async () => {
        options?.signal?.throwIfAborted();
        return await openNode(context, element, await objects.follow(place, name, options), options);
      });
    },
    openAttributes: (options) =>
      located({ source, element: path }, () => attributeArrays(context, path, messages, options)),
  };
}
