// Eigen: sparse rows times a vector or a row-major dense matrix, compiled for this CPU.
// Its products with a dense matrix of rows run on one thread (3.4), by its own choice.
extern "C" {
#include "peers.h"
}

#include <Eigen/Sparse>

#include <cstdlib>
#include <new>

namespace
{

template <typename T>
using rows_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Eigen reads the caller's arrays as they are.
template <typename T>
void
product(const bench_problem &pb)
{
    using sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int32_t>;
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const sparse> a(pb.rows, pb.cols, pb.nnz, pb.ptr, pb.col,
                                     static_cast<const T *>(pb.val));
    const T *b = static_cast<const T *>(pb.b);
    T *c = static_cast<T *>(pb.c);

    if (pb.op == BENCH_SPMV) {
        Eigen::Map<vector>(c, pb.rows).noalias() =
            a * Eigen::Map<const vector>(b, pb.cols);
    } else {
        Eigen::Map<rows_of<T>>(c, pb.rows, pb.n).noalias() =
            a * Eigen::Map<const rows_of<T>>(b, pb.cols, pb.n);
    }
}

const char *
available(int threads)
{
    Eigen::setNbThreads(threads);
    return nullptr;
}

void *
prepare(const bench_problem *pb, bench_prepared *, const char *)
{
    return pb->op == BENCH_SDDMM || pb->by_columns ? nullptr
                                                   : new (std::nothrow)
                                                         bench_problem(*pb);
}

void
run(void *state)
{
    const bench_problem &pb = *static_cast<const bench_problem *>(state);

    if (pb.type == ELEM_F32)
        product<float>(pb);
    else
        product<double>(pb);
}

void
release(void *state)
{
    delete static_cast<bench_problem *>(state);
}

const char *
version()
{
    return "Eigen " EIGEN_MAKESTRING(EIGEN_WORLD_VERSION) "." EIGEN_MAKESTRING(
        EIGEN_MAJOR_VERSION) "." EIGEN_MAKESTRING(EIGEN_MINOR_VERSION);
}

} // namespace

extern "C" const bench_peer peer_eigen = {"eigen", false,   available, prepare, run,
                                          release, version, nullptr,   false};
