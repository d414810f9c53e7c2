/** NetCDF-4 in HDF5. Source: NetCDF-4 and HDF5, "Interoperability with HDF5". */

import { textAttribute } from "../../attributes.js";
import type { Convention } from "./convention.js";

/** The start of the attribute NAME of a dimension for which there are no values, but its length. */
const NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable";

/** Dimensions without values, which are arrays of nothing but their length. */
export const netcdf: Convention = {
  name: "netcdf",
  async array(array) {
    const isDimension = textAttribute(array, "CLASS") === "DIMENSION_SCALE";
    return isDimension && textAttribute(array, "NAME")?.startsWith(NO_VARIABLE) === true
      ? { kind: "none", is: "dimension" }
      : null;
  },
};
