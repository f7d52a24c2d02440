// W7, and W1 into an Eigen matrix.
#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>
#include "worker.hpp"

namespace bench {

/// Fifty fields, as a model has them.
template <class Matrix>
struct Fifty {
  Matrix m00, m01, m02, m03, m04, m05, m06, m07, m08, m09;
  Matrix m10, m11, m12, m13, m14, m15, m16, m17, m18, m19;
  Matrix m20, m21, m22, m23, m24, m25, m26, m27, m28, m29;
  Matrix m30, m31, m32, m33, m34, m35, m36, m37, m38, m39;
  Matrix m40, m41, m42, m43, m44, m45, m46, m47, m48, m49;
};

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct OneVector {
  Eigen::VectorXf weight;
};

namespace {

template <class Matrix>
Fifty<Matrix> fifty(Eigen::Index size) {
  Fifty<Matrix> result;
  float next = 0;
  ss::for_each_field(result, [&](std::string_view, Matrix& matrix, auto) {
    matrix = Matrix::Constant(size, size, next);
    matrix(0, size - 1) = -1;
    next += 1;
  });
  return result;
}

template <class Matrix>
void save_fifty(const Path& file) {
  save(fifty<Matrix>(4), fifty<Matrix>(1024), file, 200 * mib);
}
template <class Matrix>
void load_fifty(const Path& file) {
  load(fifty<Matrix>(4), file, 200 * mib, {}, [](const Fifty<Matrix>& loaded) {
    return loaded.m49(0, 1023) == -1 && loaded.m49(1023, 0) == 49;
  });
}

void load_one_vector(const Path& file) {
  load(OneVector{Eigen::VectorXf::Ones(4)}, file, gib, {}, [](const OneVector& loaded) {
    return loaded.weight.size() == gib / sizeof(float) && loaded.weight[250] == 250;
  });
}

constexpr Action actions[] = {
    {"W1", "load_eigen", load_one_vector},          {"W7", "save", save_fifty<Eigen::MatrixXf>},
    {"W7", "save_row_major", save_fifty<RowMajor>}, {"W7", "load", load_fifty<Eigen::MatrixXf>},
    {"W7", "load_row_major", load_fifty<RowMajor>},
};

}  // namespace

std::span<const Action> eigen_actions() { return actions; }

}  // namespace bench
