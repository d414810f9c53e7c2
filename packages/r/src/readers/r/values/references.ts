/** Objects of reference classes, whose fields are bindings of an environment. */

import type { REnvironment, RValue } from "../../../containers/rds/model/value.js";
import { findRNames, getRAttributes, getRSlot } from "./value.js";

/** Returns the environment that an object consists of; null for other values. */
export function findEnvironment(value: RValue): REnvironment | null {
  const data = value.kind === "s4" ? value.slots.get(".xData") : undefined;
  return data?.kind === "environment" ? data : null;
}

/**
 * Returns the fields of an object by name. In R, a field with a declared class is a function, and the field's value is
 * stored separately, under the field's name with the prefix `.->`.
 */
export function getFields({ bindings }: REnvironment): ReadonlyMap<string, RValue> {
  const names = declaredFields(bindings.get(".refClassDef")) ?? dataNames(bindings);
  const fields = new Map<string, RValue>();
  for (const name of names) {
    const value = bindings.get(STORED + name) ?? bindings.get(name);
    if (value !== undefined) fields.set(name, value);
  }
  return fields;
}

const STORED = ".->";

/** Returns the fields that a class definition declares; null if there is no definition. */
function declaredFields(definition: RValue | undefined): readonly string[] | null {
  if (definition === undefined) return null;
  const classes = getRSlot(definition, "fieldClasses");
  return classes.kind === "list" && getRAttributes(classes).has("names")
    ? findRNames(classes, classes.values.length)
    : null;
}

/** Returns the names of all bindings except methods and R's own bindings. */
function dataNames(bindings: REnvironment["bindings"]): readonly string[] {
  const names = new Set<string>();
  for (const [name, value] of bindings) {
    if (name.startsWith(STORED)) names.add(name.slice(STORED.length));
    else if (!name.startsWith(".") && value.kind !== "opaque") names.add(name);
  }
  return [...names];
}
