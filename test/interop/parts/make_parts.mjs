/**
 * Writes parts of datasets, as a list of cases says:
 *
 *     node test/interop/parts/make_parts.mjs CASES.json
 *
 * A case has `input`, `output`, the positions `obs` and `var` (null for all) and `dropUnused`. A list of inputs is put
 * together by `concat` with the options `concat`, before the part is taken. test_selection.py and test_concat_parts.py
 * compare the parts with Python's libraries. The output is a JSON list with an error, or null, for each case.
 */

import { readFileSync } from "node:fs";
import { importBundled } from "../../../scripts/import-bundled.mjs";

const { concat, open, write } = await importBundled("packages/published/src/node.ts");

const errors = [];
for (const { obs, var: variables, dropUnused, ...files } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  errors.push(await makePart(files, { ...(obs && { obs }), ...(variables && { var: variables }), dropUnused }));
}
console.log(JSON.stringify(errors));

async function makePart({ input, output, concat: options }, selection) {
  try {
    const data = Array.isArray(input) ? await concat(input, options) : await open(input);
    try {
      const part = await data.select(selection);
      // Spatial arrays and other elements that the file has beside an AnnData's own are not compared.
      for (const [name, error] of part.failures) if (!data.failures.has(name)) throw error;
      await write(output, part, { lossy: data.failures.size > 0 });
    } finally {
      await data.close();
    }
    return null;
  } catch (error) {
    return String(error.stack);
  }
}
