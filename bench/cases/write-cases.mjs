// The cases of writing stores: from tables in memory, and from one store to another.

/**
 * @param {{ input: (name: string) => string, out: (side: string) => string, ours: (...args: string[]) => string[],
 *   peer: (...args: string[]) => string[], sizes: number[], peerScaling: boolean, rounds: number }} setup
 * @returns {import("../cases.mjs").Case[]}
 */
export function writeCases({ input, out, ours, peer, sizes, peerScaling, rounds }) {
  const raw = input("matrix.raw.h5ad");
  const store = { clock: "inside", same: "stores" };

  // Both sides hold X, obs and var in memory before the clock starts: 8 bytes a value in list layout and in scipy's
  // arrays, 12 in coordinate layout.
  const writes = (id, title, layout, form, aim, peers, more) => {
    const { suffix, options, theirs } = FORMS[form];
    const anndata = peer("write", raw, `${out("peer0")}${suffix}`, ...theirs);
    return {
      ...store,
      id,
      title,
      section: "X, obs and var in memory to a store",
      suffix,
      ours: ours("write", raw, `${out("ours")}${suffix}`, layout, JSON.stringify(options)),
      peers: [{ name: "anndata", command: anndata, aim }, ...peers],
      ...more,
    };
  };
  const disk = {
    name: "as many bytes to the disk",
    command: peer("disk", raw, out("peer1")),
    aim: 1.2,
    atMost: true,
    bare: true,
  };
  const written = [
    writes("write-gzip", ".h5ad, gzip 4, from a coordinate table", "coordinate", "gzip", 2.2, [], { smaller: 1.02 }),
    writes("write-gzip-list", ".h5ad, gzip 4, from lists", "list", "gzip", 2.2, [], { smaller: 1.02 }),
    writes("write-raw", ".h5ad, uncompressed, from lists", "list", "raw", undefined, [disk], {}),
    writes("write-zarr2", "Zarr v2, blosc, from lists", "list", "zarr2", undefined, [], {}),
    writes("write-zarr3", "Zarr v3, sharded zstd, from lists", "list", "zarr3", 1, [], {}),
  ];

  const converts = (id, title, name, form, aim, more) => {
    const { suffix, options, theirs } = FORMS[form];
    return {
      ...store,
      id,
      title,
      section: "One store to another",
      suffix,
      ours: ours("store", input(name), `${out("ours")}${suffix}`, JSON.stringify(options)),
      peers: [{ name: "anndata", command: peer("store", input(name), `${out("peer0")}${suffix}`, ...theirs), aim }],
      memory: 400,
      ...more,
    };
  };
  const converted = [
    converts("h5ad-zarr3", "gzip .h5ad to Zarr v3, sharded zstd", "matrix.h5ad", "zarr3", 1, {}),
    converts("zarr3-h5ad", "Zarr v3, sharded zstd to gzip .h5ad", "matrix.v3.zarr", "gzip", 2.2, { smaller: 1.02 }),
    converts("h5ad-h5ad", "uncompressed .h5ad to gzip .h5ad", "matrix.raw.h5ad", "gzip", 2.2, { smaller: 1.02 }),
  ];

  const scaling = [
    ["store-gzip", "gzip .h5ad to gzip .h5ad", "gzip"],
    ["store-zarr3", "gzip .h5ad to Zarr v3, sharded zstd", "zarr3"],
  ].flatMap(([id, title, form]) =>
    sizes
      .filter((millions) => millions >= LEAST_MILLIONS)
      .map((millions) => {
        const name = `${millions} M stored values`;
        const one = converts(`${id}-${millions}`, name, `size-${millions}.h5ad`, form, undefined, { millions });
        const times = millions >= 100 ? Math.min(rounds, 3) : rounds;
        return { ...one, peers: peerScaling ? one.peers : [], rounds: times, section: `Scaling: ${title}` };
      }),
  );
  return [...written, ...converted, ...scaling];
}

/** Smaller ones say little of how memory grows. */
const LEAST_MILLIONS = 50;

/** How a store is written: its name's end, our options, and the peer's arguments. */
const FORMS = {
  gzip: { suffix: ".h5ad", options: { compression: "gzip", level: 4 }, theirs: ["gzip"] },
  raw: { suffix: ".h5ad", options: { compression: "none" }, theirs: ["none"] },
  zarr2: { suffix: ".zarr", options: { zarrFormat: 2 }, theirs: ["zarr2"] },
  zarr3: { suffix: ".zarr", options: { zarrFormat: 3 }, theirs: ["zarr3"] },
};
