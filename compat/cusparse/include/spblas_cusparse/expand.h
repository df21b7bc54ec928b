/*
 * Lists of (type, name) pairs as declarations or as arguments:
 *
 *     SB_EACH(SB_DECL, (int, m), (float *, x))     int m, float *x
 *     SB_EACH(SB_ARG, (int, m), (float *, x))      m, x
 *
 * for lists of 1 to 24 pairs; (void,) is the empty list.
 */
#ifndef SPBLAS_CUSPARSE_EXPAND_H
#define SPBLAS_CUSPARSE_EXPAND_H

#define SB_DECL(pair) SB_DECL_ pair
#define SB_DECL_(type, name) type name
#define SB_TYPE(pair) SB_TYPE_ pair
#define SB_TYPE_(type, name) type
#define SB_ARG(pair) SB_ARG_ pair
#define SB_ARG_(type, name) name

#define SB_FIRST(...) SB_FIRST_(__VA_ARGS__, 0)
#define SB_FIRST_(pair, ...) SB_ARG(pair)

#define SB_EACH(f, ...)                                                            \
    SB_PICK(__VA_ARGS__, SB_E24, SB_E23, SB_E22, SB_E21, SB_E20, SB_E19, SB_E18,   \
            SB_E17, SB_E16, SB_E15, SB_E14, SB_E13, SB_E12, SB_E11, SB_E10, SB_E9, \
            SB_E8, SB_E7, SB_E6, SB_E5, SB_E4, SB_E3, SB_E2, SB_E1, 0)             \
    (f, __VA_ARGS__)
#define SB_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                a17, a18, a19, a20, a21, a22, a23, a24, each, ...)                     \
    each
#define SB_E1(f, a) f(a)
#define SB_E2(f, a, ...) f(a), SB_E1(f, __VA_ARGS__)
#define SB_E3(f, a, ...) f(a), SB_E2(f, __VA_ARGS__)
#define SB_E4(f, a, ...) f(a), SB_E3(f, __VA_ARGS__)
#define SB_E5(f, a, ...) f(a), SB_E4(f, __VA_ARGS__)
#define SB_E6(f, a, ...) f(a), SB_E5(f, __VA_ARGS__)
#define SB_E7(f, a, ...) f(a), SB_E6(f, __VA_ARGS__)
#define SB_E8(f, a, ...) f(a), SB_E7(f, __VA_ARGS__)
#define SB_E9(f, a, ...) f(a), SB_E8(f, __VA_ARGS__)
#define SB_E10(f, a, ...) f(a), SB_E9(f, __VA_ARGS__)
#define SB_E11(f, a, ...) f(a), SB_E10(f, __VA_ARGS__)
#define SB_E12(f, a, ...) f(a), SB_E11(f, __VA_ARGS__)
#define SB_E13(f, a, ...) f(a), SB_E12(f, __VA_ARGS__)
#define SB_E14(f, a, ...) f(a), SB_E13(f, __VA_ARGS__)
#define SB_E15(f, a, ...) f(a), SB_E14(f, __VA_ARGS__)
#define SB_E16(f, a, ...) f(a), SB_E15(f, __VA_ARGS__)
#define SB_E17(f, a, ...) f(a), SB_E16(f, __VA_ARGS__)
#define SB_E18(f, a, ...) f(a), SB_E17(f, __VA_ARGS__)
#define SB_E19(f, a, ...) f(a), SB_E18(f, __VA_ARGS__)
#define SB_E20(f, a, ...) f(a), SB_E19(f, __VA_ARGS__)
#define SB_E21(f, a, ...) f(a), SB_E20(f, __VA_ARGS__)
#define SB_E22(f, a, ...) f(a), SB_E21(f, __VA_ARGS__)
#define SB_E23(f, a, ...) f(a), SB_E22(f, __VA_ARGS__)
#define SB_E24(f, a, ...) f(a), SB_E23(f, __VA_ARGS__)

#endif
