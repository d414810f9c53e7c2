/** A plugin of TypeDoc, which drops the class in `@throws {NotFoundError} where …`: it sees a link to the class instead. */

import ts from "typescript";

export function load() {
  const read = ts.sys.readFile;
  ts.sys.readFile = (path, encoding) =>
    read.call(ts.sys, path, encoding)?.replace(/@throws \{(\w+)\}/g, "@throws {@link $1}");
}
