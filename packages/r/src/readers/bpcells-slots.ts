/**
 * The slots of the supported BPCells classes, as the package declares them. Slots that another package's class adds are
 * not read.
 */

const MATRIX = ["dim", "transpose", "dimnames"];
/** Versions before the first release use the name `row` for the index. */
const INDEX = ["index", "idxptr", "version", "row", "col_ptr", "row_count"];
const PACKED_INDEX = [
  ...["index_data", "index_starts", "index_idx", "index_idx_offsets", "idxptr", "version"],
  ...["row_data", "row_starts", "row_idx", "col_ptr", "row_count"],
];
const PACKED_VALUES = ["val_data", "val_idx", "val_idx_offsets"];
const FRAGMENT_NAMES = ["chr_names", "cell_names"];
const FRAGMENTS = ["end_max", "chr_ptr", "version", ...FRAGMENT_NAMES];
const PACKED_FRAGMENTS = [
  ...["cell_data", "cell_idx", "cell_idx_offsets", "start_data", "start_idx", "start_idx_offsets", "start_starts"],
  ...["end_data", "end_idx", "end_idx_offsets"],
];

const matrix = (name: string, ...slots: readonly string[]) => [name, new Set([...MATRIX, ...slots])] as const;
const fragments = (name: string, ...slots: readonly string[]) => [name, new Set(slots)] as const;

const SLOTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  matrix("PackedMatrixMem_uint32_t", ...PACKED_INDEX, ...PACKED_VALUES),
  matrix("PackedMatrixMem_float", ...PACKED_INDEX, "val"),
  matrix("PackedMatrixMem_double", ...PACKED_INDEX, "val"),
  matrix("UnpackedMatrixMem_uint32_t", ...INDEX, "val"),
  matrix("UnpackedMatrixMem_float", ...INDEX, "val"),
  matrix("UnpackedMatrixMem_double", ...INDEX, "val"),
  matrix("MatrixDir", "dir", "compressed", "buffer_size", "type"),
  matrix("MatrixH5", "path", "group", "compressed", "buffer_size", "type"),
  matrix("AnnDataMatrixH5", "path", "group", "buffer_size", "type"),
  matrix("Iterable_dgCMatrix_wrapper", "mat"),
  matrix("RenameDims", "matrix"),
  matrix("MatrixSubset", "matrix", "row_selection", "col_selection", "zero_dims"),
  matrix("ConvertMatrixType", "matrix", "type"),
  matrix("RowBindMatrices", "matrix_list", "threads"),
  matrix("ColBindMatrices", "matrix_list", "threads"),
  fragments("UnpackedMemFragments", "cell", "start", "end", ...FRAGMENTS),
  fragments("PackedMemFragments", ...PACKED_FRAGMENTS, ...FRAGMENTS),
  fragments("FragmentsDir", "dir", "compressed", "buffer_size", ...FRAGMENT_NAMES),
  fragments("FragmentsHDF5", "path", "group", "compressed", "buffer_size", ...FRAGMENT_NAMES),
  fragments("ChrRename", "fragments", "chr_names"),
  fragments("CellRename", "fragments", "cell_names"),
  fragments("CellPrefix", "fragments", "prefix"),
  fragments("CellMerge", "fragments", "group_ids", "group_names"),
  fragments("ChrSelectName", "fragments", "chr_names"),
  fragments("ChrSelectIndex", "fragments", "chr_index_selection"),
  fragments("CellSelectName", "fragments", "cell_names"),
  fragments("CellSelectIndex", "fragments", "cell_index_selection"),
]);

/** Returns the slots of a class; null for an unsupported class, whose objects cannot be read at all. */
export function bpcellsSlots(className: string): ReadonlySet<string> | null {
  return SLOTS.get(className) ?? null;
}

/** The slots that contain a BPCells object, a list of such objects, or a sparse matrix from R. */
export const INNER_OBJECTS: ReadonlySet<string> = new Set(["matrix", "matrix_list", "fragments", "mat"]);

/** The elements of the lists that BPCells' C++ code returns: the arrays of a store. */
export const ARRAY_LIST: ReadonlySet<string> = new Set([
  ...[...SLOTS.entries()].flatMap(([name, slots]) => (/packed/i.test(name) ? [...slots] : [])),
  ...["shape", "storage_order", "row_names", "col_names"],
]);

/** The slots of R's column-compressed sparse matrices. */
export const DGC_MATRIX: ReadonlySet<string> = new Set(["i", "p", "x", "Dim", "Dimnames", "factors"]);
