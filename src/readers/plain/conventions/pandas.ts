/** Frames and series of pandas' HDFStore. */

import { UnsupportedError } from "../../../model/errors.js";
import { textAttribute } from "../../attributes.js";
import type { Convention } from "./convention.js";
import { fixedFrame, fixedSeries } from "./pandas-fixed.js";
import { appendableTable } from "./pandas-table.js";

export const pandas: Convention = {
  name: "pandas",
  async group(group, _, cx) {
    const type = textAttribute(group, "pandas_type");
    switch (type) {
      case undefined:
        return null;
      case "frame":
        return { element: await fixedFrame(group, cx) };
      case "series":
        return { element: await fixedSeries(group, cx) };
      case "frame_table":
      case "series_table":
        return { element: await appendableTable(group, cx) };
      default:
        throw new UnsupportedError(`pandas' type ${type}`, { element: group.path });
    }
  },
};
