/** Where a value is written. */

import type {
  ArrayDescription,
  ArrayWriter,
  GroupWriter,
  WrittenAttributes,
} from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";

export interface ValuePlace {
  readonly parent: GroupWriter;
  readonly name: string;
  /** What errors call the value. */
  readonly element: string;
  /** `H5PATH`: the path of the struct that holds it, of what is referred to its own; null for variables. */
  readonly h5path: string | null;
}

export function variablePlace(root: GroupWriter, name: string): ValuePlace {
  return { parent: root, name, element: name, h5path: null };
}

/** A field of a struct, which is a group. */
export function fieldPlace(group: GroupWriter, name: string, element: string): ValuePlace {
  return { parent: group, name, element: `${element}/${name}`, h5path: `/${group.path}` };
}

export function openArray(place: ValuePlace, description: ArrayDescription): Promise<ArrayWriter> {
  return located({ element: place.element }, () => place.parent.array(place.name, description));
}

export function openGroup(place: ValuePlace, attributes: WrittenAttributes): Promise<GroupWriter> {
  return located({ element: place.element }, () => place.parent.group(place.name, attributes));
}
