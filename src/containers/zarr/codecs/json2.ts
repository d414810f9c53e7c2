import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import { type Json, parseJson } from "../metadata/json.js";
import { integersOf, isList, listOf, show } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";
import { pickTexts } from "./items.js";

/** `json2`: one JSON list of the items, then numpy's type text, then the shape. Only texts are read. */
export const json2: CodecModule = {
  kind: "objects",
  make: () => ({
    decode(bytes, count) {
      const list = listOf(parseJson(bytes), "a json2 chunk");
      const shape = integersOf(list[list.length - 1], "shape of a json2 chunk", 0);
      const items = list.slice(0, -2).flatMap((item) => leaves(item));
      if (items.length !== count || product(shape) !== count) {
        throw new InvalidDataError(`${items.length} items of shape ${show(shape)}, expected ${count}`);
      }
      const texts = items.map((item) => {
        if (typeof item !== "string") throw new UnsupportedError(`json2 with ${show(item)}: only texts can be read`);
        return item;
      });
      return pickTexts(texts, count, (i) => i);
    },
  }),
};

/** The items of a list that is nested as its shape is. */
function leaves(item: Json): readonly Json[] {
  return isList(item) ? item.flatMap((inner) => leaves(inner)) : [item];
}
