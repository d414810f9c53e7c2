/** What runs in the page of the test of object stores. */

import { type CloudOptions, open } from "../../packages/published/src/index.js";

declare global {
  interface Window {
    /** The names of the cells of the dataset at an address; what went wrong as text. */
    cellsOf(address: string, cloud: CloudOptions): Promise<unknown[] | string>;
  }
}

window.cellsOf = async (address, cloud) => {
  try {
    const data = await open(address, { cloud });
    const obs = await data.table("obs").read({ columns: ["_index"] });
    await data.close();
    return [...(obs.getChild("_index") ?? [])];
  } catch (error) {
    return String(error);
  }
};
