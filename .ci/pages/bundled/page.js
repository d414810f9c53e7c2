import { open } from "annarrow";

// What open-bundled.mjs asks the page: the rows of obs, the entries of X, and how an error is called.
globalThis.ask = async (file) => {
  const data = await open(await (await fetch(file)).blob());
  const obs = await data.table("obs").read();
  let entries = 0;
  if (file.startsWith("large")) for await (const batch of data.table("X").batches()) entries += batch.numRows;
  await data.close();
  const error = await open(new Uint8Array(1000)).catch((error) => error);
  return { cells: obs.numRows, entries, error: error.name };
};
