/* The variables of a MAT-file as libmatio has them, as JSON: bytes of numbers in hex, in column-major order.
 * cc -o matio_values matio_values.c -lmatio; exit status 1 where libmatio cannot read the file. */
#include <matio.h>
#include <stdio.h>

static void bytes(const char *key, const void *data, size_t count)
{
    printf(",\"%s\":\"", key);
    for (size_t i = 0; data && i < count; i++)
        printf("%02x", ((const unsigned char *)data)[i]);
    putchar('"');
}

static void numbers(const matvar_t *value, const void *data, size_t count)
{
    size_t size = count * Mat_SizeOf(value->data_type);
    if (value->isComplex) {
        const mat_complex_split_t *parts = data;
        bytes("data", parts ? parts->Re : NULL, size);
        bytes("imaginary", parts ? parts->Im : NULL, size);
    } else
        bytes("data", data, size);
}

static void print(const matvar_t *value)
{
    size_t count = 1;
    if (!value) {
        printf("null");
        return;
    }
    printf("{\"class\":%d,\"width\":%zu,\"logical\":%d,\"complex\":%d,\"size\":[", value->class_type,
           Mat_SizeOf(value->data_type), value->isLogical, value->isComplex);
    for (int i = 0; i < value->rank; count *= value->dims[i++])
        printf(i ? ",%zu" : "%zu", value->dims[i]);
    putchar(']');
    if (value->class_type == MAT_C_SPARSE && value->data) {
        const mat_sparse_t *sparse = value->data;
        bytes("ir", sparse->ir, sparse->nir * sizeof *sparse->ir);
        bytes("jc", sparse->jc, sparse->njc * sizeof *sparse->jc);
        numbers(value, sparse->data, sparse->ndata);
    } else if (value->class_type == MAT_C_CELL || value->class_type == MAT_C_STRUCT) {
        size_t fields = value->class_type == MAT_C_CELL ? 1 : Mat_VarGetNumberOfFields((matvar_t *)value);
        if (value->class_type == MAT_C_STRUCT) {
            char *const *names = Mat_VarGetStructFieldnames(value);
            printf(",\"fields\":[");
            for (size_t i = 0; i < fields; i++)
                printf(i ? ",\"%s\"" : "\"%s\"", names[i]);
            putchar(']');
        }
        printf(",\"items\":[");
        for (size_t i = 0; value->data && i < count * fields; i++) {
            if (i)
                putchar(',');
            print(((matvar_t **)value->data)[i]);
        }
        putchar(']');
    } else
        numbers(value, value->data, count);
    putchar('}');
}

int main(int argc, char **argv)
{
    mat_t *file = argc == 2 ? Mat_Open(argv[1], MAT_ACC_RDONLY) : NULL;
    matvar_t *value;
    int first = 1;
    if (!file)
        return 1;
    putchar('{');
    while ((value = Mat_VarReadNext(file))) {
        printf(first ? "\"%s\":" : ",\"%s\":", value->name);
        print(value);
        Mat_VarFree(value);
        first = 0;
    }
    puts("}");
    return Mat_Close(file) != 0;
}
