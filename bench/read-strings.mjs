// Reads the column `text` of obs into Arrow: node bench/read-strings.mjs FILE

import { open } from "annarrow";

const data = await open(process.argv[2]);
const obs = await data.table("obs").read({ columns: ["text"] });
console.log(obs.numRows, obs.getChild("text").byteLength);
await data.close();
