/** `/matrix` and the arrays of `/layers`: dense, genes x cells. */

import type { Node, StoredArray } from "../../containers/tree/container.js";
import { InvalidDataError } from "../../model/errors.js";
import type { TableElement } from "../element.js";
import { arrayElement } from "./array.js";
import type { LoomContext } from "./context.js";

export type MatrixShape = readonly [rows: number, cols: number];

/** @throws {InvalidDataError} where the node is no matrix of numbers. */
export function matrixElement(node: Node, cx: LoomContext): TableElement {
  return arrayElement(numbersOf(node), cx);
}

/** @throws {InvalidDataError} where the node is no matrix of numbers, or has another shape than the file's matrix. */
export function layerElement(node: Node, shape: MatrixShape | null, cx: LoomContext): TableElement {
  const array = numbersOf(node);
  const found = JSON.stringify(array.shape);
  if (shape !== null && found !== JSON.stringify(shape)) {
    throw new InvalidDataError(`shape ${found}, the matrix has ${JSON.stringify(shape)}`);
  }
  return arrayElement(array, cx);
}

/** The shape of a node that is a matrix of numbers, else null. */
export function matrixShape(node: Node | null): MatrixShape | null {
  if (node?.kind !== "array" || node.shape?.length !== 2 || !isNumeric(node)) return null;
  return [node.shape[0], node.shape[1]];
}

function numbersOf(node: Node): StoredArray {
  if (node.kind === "group") throw new InvalidDataError("a group, a matrix is needed");
  if (!isNumeric(node)) throw new InvalidDataError(`a matrix of ${node.type.kind} values, numbers are needed`);
  if (node.shape?.length !== 2) {
    throw new InvalidDataError(`shape ${JSON.stringify(node.shape)}, a matrix has two dimensions`);
  }
  return node;
}

/** The specification has no booleans; what h5py makes of them is none the worse. */
function isNumeric({ type }: StoredArray): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "bool";
}
