/** Where a value is written. */

import type {
  ArrayDescription,
  ArrayWriter,
  GroupWriter,
  WrittenAttributes,
} from "../../containers/container-writer.js";
import { located } from "../../errors.js";

export interface Place {
  readonly parent: GroupWriter;
  readonly name: string;
  /** What errors call the value. */
  readonly element: string;
  /** `H5PATH`: the path of the struct that holds it, of what is referred to its own; null for variables. */
  readonly h5path: string | null;
}

export function variablePlace(root: GroupWriter, name: string): Place {
  return { parent: root, name, element: name, h5path: null };
}

/** A field of a struct, which is a group. */
export function fieldPlace(group: GroupWriter, name: string, element: string): Place {
  return { parent: group, name, element: `${element}/${name}`, h5path: `/${group.path}` };
}

export function openArray(place: Place, description: ArrayDescription): Promise<ArrayWriter> {
  return located({ element: place.element }, () => place.parent.array(place.name, description));
}

export function openGroup(place: Place, attributes: WrittenAttributes): Promise<GroupWriter> {
  return located({ element: place.element }, () => place.parent.group(place.name, attributes));
}
