// Reads X of a file by h5wasm: its three arrays whole, as its users do.

import h5wasm from "h5wasm";

addEventListener("message", async ({ data: file }) => {
  const { FS } = await h5wasm.ready;
  FS.mkdir("/given");
  FS.mount(FS.filesystems.WORKERFS, { files: [file] }, "/given");
  const opened = new h5wasm.File(`/given/${file.name}`, "r");
  const [values] = ["X/data", "X/indices", "X/indptr"].map((name) => opened.get(name).value);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  postMessage({ count: values.length, sum });
});
