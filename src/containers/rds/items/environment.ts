import { InvalidDataError } from "../../../model/errors.js";
import type { RValue } from "../model/value.js";

/** The names and values of an environment: those of its frame, or of the chains in its hash table. */
export function* bindingsOf(frame: RValue, table: RValue): Generator<[string, RValue]> {
  yield* chain(frame);
  if (table.kind === "null") return;
  if (table.kind !== "list") throw new InvalidDataError(`the hash table of an environment is ${table.kind}`);
  for (const bucket of table.values) yield* chain(bucket);
}

function* chain(value: RValue): Generator<[string, RValue]> {
  if (value.kind === "null") return;
  if (value.kind !== "pairlist" || value.tail !== undefined) {
    throw new InvalidDataError(`the frame of an environment is ${value.kind}, not a pairlist`);
  }
  for (const item of value.items) {
    if (item.tag === null) throw new InvalidDataError("an environment binds a value without a name");
    yield [item.tag, item.value];
  }
}
