/* The sparse cases of limits.c as a program of their own, which runs without AVX-512, too (avx512.h).
 *
 *     gcc -O3 -march=native -ffast-math -fno-math-errno -fopenmp limits_sparse.c -o limits -lm
 *     ./limits [--list] [--only NAME,...] [--threads N] [--seconds S]
 */
#include "limits.h"
#include "limits_sparse.h"

#define CASE(name) {#name, name, 0}
static const bench_case cases[] = {
    CASE(sparse_activate), CASE(sparse_iterate), CASE(sparse_stencil), CASE(sparse_bitmasked), CASE(dynamic_append),
};

int main(int argc, char **argv) {
    return run_cases(cases, sizeof cases / sizeof *cases, omp_set_num_threads, argc, argv);
}
