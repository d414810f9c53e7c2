/** Registers the R container, and the formats Seurat, SingleCellExperiment, h5Seurat and BPCells in R objects. */

import { registerContainer, registerFormat, registerStores } from "annarrow/format";
import { rds } from "./containers/rds/definition.js";
import { bpcellsRds } from "./formats/bpcells-rds.js";
import { h5seurat } from "./formats/h5seurat.js";
import { r } from "./formats/r.js";
import type { bpcellsRds as bpcellsRdsDescriptor } from "./model/bpcells-rds.js";
import type { h5seurat as h5seuratDescriptor } from "./model/h5seurat.js";
import type { r as rDescriptor } from "./model/r.js";

declare module "annarrow/extend" {
  interface OtherFormats {
    bpcellsRds: typeof bpcellsRdsDescriptor;
    h5seurat: typeof h5seuratDescriptor;
    r: typeof rDescriptor;
  }

  interface OtherContainers {
    rds: true;
  }
}

/** Enables the core to open and write R files. */
export function registerR(): void {
  registerContainer(rds);
  registerStores(bpcellsRds);
  registerFormat(h5seurat);
  registerFormat(r);
}
