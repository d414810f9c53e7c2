/**
 * The root attribute that distinguishes generic HDF5 and Zarr files written by annarrow from other formats. Without it,
 * tables called `X` and `obs` would be read as AnnData. It is not one of the caller's attributes, and readers hide it.
 */
export const GENERIC_MARK = "annarrow-tables";

/** The value of the mark. */
export const GENERIC_MARK_VALUE = "plain";
