/** What the attribute `annarrow` of a struct says, which this library writes: a table of columns, or names of fields. */

import type { Group } from "../../../containers/tree/container.js";
import { isJsonObject } from "../../../model/json-object.js";
import { textAttribute } from "./attributes.js";

export interface OwnDescription {
  /** As they were called, of those that MATLAB cannot name so. */
  readonly fields: readonly string[];
  /** `annarrow`: the text of a table; `names`: those in the file by those that are read; `mapping`: what it was. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function ownDescription(group: Group, fields: readonly string[]): OwnDescription {
  const text = textAttribute(group, "annarrow");
  if (text === null) return { fields, metadata: {} };
  const json = parsed(text);
  // What is no JSON is said where the table is read.
  if (json === null || "fields" in json) return { fields, metadata: { annarrow: text } };
  const { names, mapping } = json;
  const renamed = isJsonObject(names) ? fields.map((field) => ownName(names[field]) ?? field) : fields;
  const isDistinct = new Set(renamed).size === renamed.length;
  const own = isDistinct ? renamed : fields;
  const stored = own.flatMap((name, i) => (name === fields[i] ? [] : [[name, fields[i]] as const]));
  return {
    fields: own,
    metadata: {
      ...(stored.length === 0 ? {} : { names: Object.fromEntries(stored) }),
      ...(mapping === "anndata" || mapping === "raw" ? { mapping } : {}),
    },
  };
}

/** A name that is one part of a path. */
function ownName(name: unknown): string | null {
  return typeof name === "string" && name !== "" && !name.includes("/") ? name : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}
