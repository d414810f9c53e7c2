/*
 * Deflate by libdeflate as one module for WebAssembly. Built by scripts/build-deflate.py, with the library's sources
 * beside it. It allocates nothing: the compressor lies among the module's own data, everything behind is the caller's.
 */

#define FREESTANDING

#include "lib/adler32.c"
#include "lib/crc32.c"
#include "lib/deflate_compress.c"
#include "lib/gzip_compress.c"
#include "lib/zlib_compress.c"

#define EXPORT(name) __attribute__((export_name(#name)))

extern unsigned char __heap_base;

/* In place of lib/utils.c: there is one compressor, of any level. */
static _Alignas(MATCHFINDER_MEM_ALIGNMENT) unsigned char memory[sizeof(struct libdeflate_compressor)];
static struct libdeflate_compressor *compressor;

malloc_func_t libdeflate_default_malloc_func;
free_func_t libdeflate_default_free_func;

void *libdeflate_aligned_malloc(malloc_func_t malloc_func, size_t alignment, size_t size) {
  return size <= sizeof(memory) ? memory : NULL;
}

void libdeflate_aligned_free(free_func_t free_func, void *address) {}

/* The first byte that is the caller's. */
EXPORT(start) size_t start(void) { return ((size_t)&__heap_base + 63) & ~(size_t)63; }

/* What is compressed from now on is compressed at this level, 0 to 9. */
EXPORT(setLevel) void setLevel(int level) { compressor = libdeflate_alloc_compressor(level); }

/* The most bytes that a stream of so many can have, in either form. */
EXPORT(bound) size_t bound(size_t bytes) { return libdeflate_gzip_compress_bound(compressor, bytes); }

/* One zlib stream: its length, 0 where the room does not suffice. */
EXPORT(zlib) size_t zlib(void *to, size_t room, const void *from, size_t bytes) {
  return libdeflate_zlib_compress(compressor, from, bytes, to, room);
}

/* One gzip member: its length, 0 where the room does not suffice. */
EXPORT(gzip) size_t gzip(void *to, size_t room, const void *from, size_t bytes) {
  return libdeflate_gzip_compress(compressor, from, bytes, to, room);
}
