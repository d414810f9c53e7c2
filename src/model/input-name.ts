/** The names of inputs, as outputs, keys and datasets have them. */

/** Endings that are left out of a name. */
const KNOWN =
  /\.(mudata\.zarr\.zip|mudata\.zarr|zarr\.zip|zarr|bpcells\.h5|bpcells\.rds|bpcells|fragments\.tsv(\.gz)?|h5ad|h5mu|h5seurat|loom|mat|h5|hdf5|rds|rdata|rda|parquet|arrows?|feather|ipc|(tsv|bed|txt)(\.gz)?|zip)$/i;

/**
 * Whether an input is an address, as `https://…` or `s3://…`, and no path of this machine. One letter is a drive of Windows,
 * which takes `C://data` for `C:\data`.
 */
export function hasScheme(input: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(input);
}

/** The name of an input without its folder and its known ending. */
export function stem(input: string): string {
  const path = hasScheme(input) ? input.replace(/[?#].*$/, "") : input;
  const name = path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "");
  const short = name.replace(KNOWN, "");
  return short === "" || short === "." || short === ".." ? "input" : short;
}

/** A key for each input: its name without the ending, or its path where two inputs have one name. */
export function keysOf(inputs: readonly string[]): readonly string[] {
  const names = inputs.map(stem);
  return new Set(names).size === names.length ? names : inputs;
}
