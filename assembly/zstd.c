/*
 * zstd as one module for WebAssembly: frames compressed, frames decompressed. Built by scripts/build-zstd.py, with the
 * library's sources beside it. It allocates nothing: the two contexts lie behind the module's own data, everything
 * behind them is the caller's.
 */

#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_ASM
#define ZSTD_STRIP_ERROR_STRINGS
#define ZSTD_LEGACY_SUPPORT 0
#define XXH_NO_STDLIB

/* Not the match finders of levels 13 and above: there the next lower one works. */
#define ZSTD_EXCLUDE_BTLAZY2_BLOCK_COMPRESSOR
#define ZSTD_EXCLUDE_BTOPT_BLOCK_COMPRESSOR
#define ZSTD_EXCLUDE_BTULTRA_BLOCK_COMPRESSOR

/* One of the decoder's two variants each: smaller, and not slower here. */
#define HUF_FORCE_DECOMPRESS_X1 1
#define ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT 1

/* In place of common/zstd_deps.h: no C library. */
#include <limits.h>
#include <stddef.h>
#define ZSTD_DEPS_COMMON
#define ZSTD_memcpy(to, from, bytes) __builtin_memcpy(to, from, bytes)
#define ZSTD_memmove(to, from, bytes) __builtin_memmove(to, from, bytes)
#define ZSTD_memset(to, value, bytes) __builtin_memset(to, value, bytes)
#define ZSTD_DEPS_MALLOC
#define ZSTD_malloc(bytes) ((void)(bytes), (void *)0)
#define ZSTD_calloc(count, bytes) ((void)(count), (void)(bytes), (void *)0)
#define ZSTD_free(memory) ((void)(memory))

#include "common/entropy_common.c"
#include "common/error_private.c"
#include "common/fse_decompress.c"
#include "common/xxhash.c"
#include "common/zstd_common.c"

#include "compress/fse_compress.c"
#include "compress/hist.c"
#include "compress/huf_compress.c"
#include "compress/zstd_compress.c"
#include "compress/zstd_compress_literals.c"
#include "compress/zstd_compress_sequences.c"
#include "compress/zstd_compress_superblock.c"
#include "compress/zstd_double_fast.c"
#include "compress/zstd_fast.c"
#include "compress/zstd_lazy.c"
#include "compress/zstd_ldm.c"
#include "compress/zstd_opt.c"
#include "compress/zstd_preSplit.c"

#include "decompress/huf_decompress.c"
#include "decompress/zstd_ddict.c"
#include "decompress/zstd_decompress.c"
#include "decompress/zstd_decompress_block.c"

#define EXPORT(name) __attribute__((export_name(#name)))
#define PAGE 65536u

extern unsigned char __heap_base;

static ZSTD_CCtx *encoder;
static ZSTD_DCtx *decoder;
static size_t encoderAt;
static ZSTD_parameters parameters;

static size_t aligned(size_t address) { return (address + 63) & ~(size_t)63; }

static int reserve(size_t end) {
  size_t const pages = (end + PAGE - 1) / PAGE;
  size_t const present = __builtin_wasm_memory_size(0);
  return pages <= present || __builtin_wasm_memory_grow(0, pages - present) != (size_t)-1;
}

/* Makes the decoder: the address of the first byte behind it, 0 where there is no memory for it. */
EXPORT(start) size_t start(void) {
  size_t const bytes = ZSTD_estimateDCtxSize();
  size_t const at = aligned((size_t)&__heap_base);
  encoderAt = aligned(at + bytes);
  if (!reserve(encoderAt)) return 0;
  decoder = ZSTD_initStaticDCtx((void *)at, bytes);
  return decoder ? encoderAt : 0;
}

/*
 * Makes the encoder for inputs of so many bytes at a level, behind the decoder: the address of the first byte behind
 * it, 0 where there is no memory for it. Whatever lay there is gone, and so is the encoder once something is put there.
 */
EXPORT(prepare) size_t prepare(int level, size_t bytes, int checksum) {
  size_t needed;
  /* 0 would mean that nobody knows. */
  parameters = ZSTD_getParams(level, bytes ? bytes : 1, 0);
  parameters.fParams.checksumFlag = checksum;
  needed = ZSTD_estimateCCtxSize_usingCParams(parameters.cParams);
  if (!reserve(encoderAt + needed)) return 0;
  encoder = ZSTD_initStaticCCtx((void *)encoderAt, needed);
  return encoder ? aligned(encoderAt + needed) : 0;
}

/* The most bytes that a frame of so many can have; an error (see compress) where these are too many. */
EXPORT(bound) size_t bound(size_t bytes) { return ZSTD_compressBound(bytes); }

/*
 * One frame of as many bytes as the encoder was prepared for, with its content size: its length, or an error: as a
 * signed number the negative of a ZSTD_ErrorCode (zstd_errors.h), above -120.
 */
EXPORT(compress) size_t compress(void *to, size_t room, const void *from, size_t bytes) {
  return ZSTD_compress_advanced(encoder, to, room, from, bytes, NULL, 0, parameters);
}

/* Every frame of `from`, checksums verified: the length of what they give, or an error as that of compress. */
EXPORT(decompress) size_t decompress(void *to, size_t room, const void *from, size_t bytes) {
  return ZSTD_decompressDCtx(decoder, to, room, from, bytes);
}
