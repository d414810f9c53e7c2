/**
 * The attribute of the root by which plain HDF5 and Zarr that annarrow wrote are told from other formats: tables called
 * `X` and `obs` would otherwise pass for an AnnData. It is no attribute of the caller's, and no reader shows it.
 */
export const PLAIN_MARK = "annarrow-tables";

/** Its value. */
export const PLAIN_MARKED = "plain";
