/** How many entries the nodes of groups have room for, halved: libhdf5's own numbers. */

export const LEAF_K = 4;
export const TREE_K = 16;

/** That of chunk indexes, where the superblock has no field for it. */
export const CHUNK_K = 32;
