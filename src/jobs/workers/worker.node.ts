/** Entry of a worker thread of Node. */

import { parentPort } from "node:worker_threads";
import { installNodeHdf5 } from "../../containers/hdf5/library/h5wasm.node.js";
import { installNodeCompressors } from "../../kernels/codecs/compress.node.js";
import { installNodeInflate } from "../../kernels/codecs/deflate/inflate.node.js";
import { installNodeZstd } from "../../kernels/codecs/zstd/zstd.node.js";
import { installNodeSources } from "../../sources/local-sources.node.js";
import { server } from "./serve.js";

installNodeCompressors();
installNodeInflate();
installNodeZstd();
installNodeHdf5();
installNodeSources();

if (parentPort === null) throw new TypeError("this file is the entry of a worker");
const port = parentPort;
const handle = server((reply, transfer) => port.postMessage(reply, transfer));
port.on("message", handle);
