import { InvalidDataError } from "../../../model/errors.js";
import { listOf, textOf } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";
import { pickTexts } from "./items.js";
import { numberFormat, readNumbers } from "./number-format.js";

/** `categorize`: positions in `labels` from 1; 0 is no label and reads as the empty text, as numcodecs has it. */
export const categorize: CodecModule = {
  kind: "objects",
  make(configuration) {
    const labels = listOf(configuration.labels, "labels").map((label) => textOf(label, "a label"));
    const texts = ["", ...labels];
    const format = numberFormat(configuration.astype, "astype");
    return {
      decode(bytes, count) {
        const codes = readNumbers(bytes, format);
        if (codes.length !== count) throw new InvalidDataError(`${codes.length} items, expected ${count}`);
        for (const code of codes) {
          if (code < 0 || code >= texts.length) throw new InvalidDataError(`code ${code} of ${labels.length} labels`);
        }
        return pickTexts(texts, count, (i) => Number(codes[i]));
      },
    };
  },
};
