// A small transformer that is recorded while it runs, with planted faults to find: which layer, and
// which kind of fault? docs/compare.md walks through it. Its twin in Python is transformer.py.
//
//     transformer                                   two runs in C++, and their comparison
//     transformer make JOB                          writes weights and tokens to a file
//     transformer run JOB FOLDER [half] [FAULT]     runs the model on them and records it
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <safestructures/compare/compare.hpp>
#include <safestructures/plugins/eigen.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Linear {
  Matrix weight;  // [out, in], as in PyTorch
  Eigen::VectorXf bias;
};

struct Norm {
  Eigen::VectorXf weight;
  Eigen::VectorXf bias;
};

struct Block {
  Norm norm1;
  Linear query, key, value, project;
  Norm norm2;
  Linear up, down;
};

struct Model {
  Matrix embedding;
  std::vector<Block> blocks;
  Norm norm;
};

/// The input of one step: texts of equal length, whose last tokens may be padding.
struct Batch {
  std::vector<std::vector<std::int64_t>> tokens;
  std::vector<std::int64_t> lengths;
};

struct Job {
  std::int64_t heads = 4;
  Model model;
  std::vector<Batch> steps;
};

constexpr std::array faults = {
    "swapped_heads",     "epsilon",          "leaking_mask", "blind_mask",
    "rope_interleaved",  "position_offset",  "gelu_tanh",    "missing_scale",
    "transposed_weight", "missing_residual", "missing_bias", "half_accumulation",
    "ignored_padding",   "wrong_embedding",
};

Job make() {
  std::mt19937 random(42);
  std::normal_distribution<float> normal;
  const auto matrix = [&](Eigen::Index rows, Eigen::Index columns, float size) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return size * normal(random); }));
  };
  const auto vector = [&](Eigen::Index size, float mean, float deviation) {
    return Eigen::VectorXf(
        Eigen::VectorXf::NullaryExpr(size, [&] { return mean + deviation * normal(random); }));
  };
  const auto linear = [&](Eigen::Index in, Eigen::Index out, float size) {
    return Linear{matrix(out, in, size), vector(out, 0, 0.02F)};
  };
  const auto norm = [&] { return Norm{vector(32, 1, 0.1F), vector(32, 0, 0.1F)}; };
  Job job;
  job.model.embedding = matrix(50, 32, 0.02F);
  for (Eigen::Index token = 0; token < 50; ++token)
    job.model.embedding.row(token) *= std::exp2(0.7F * normal(random));
  for (int block = 0; block < 3; ++block)
    job.model.blocks.push_back({norm(), linear(32, 32, 0.2F), linear(32, 32, 0.2F),
                                linear(32, 32, 0.2F), linear(32, 32, 0.004F), norm(),
                                linear(32, 64, 0.2F), linear(64, 32, 0.004F)});
  job.model.norm = norm();
  for (int step = 0; step < 3; ++step) {
    Batch batch{{}, {12, 9}};
    for (int text = 0; text < 2; ++text) {
      std::vector<std::int64_t>& tokens = batch.tokens.emplace_back();
      for (int i = 0; i < 12; ++i) tokens.push_back(static_cast<std::int64_t>(random() % 50));
    }
    job.steps.push_back(std::move(batch));
  }
  return job;
}

/// A run of the model. Activations are [texts * tokens, width].
class Run {
 public:
  Run(const Job& job, ss::ActivationRecorder& recorder, bool is_half, std::string fault)
      : job_(job), recorder_(recorder), is_half_(is_half), fault_(std::move(fault)) {}

  void operator()(const Batch& batch);

 private:
  /// Faults are planted in the second block.
  [[nodiscard]] bool has(std::string_view fault) const { return is_faulty_ && fault_ == fault; }

  [[nodiscard]] static Matrix in_half(const Matrix& x) {
    return x.unaryExpr(
        [](float number) { return static_cast<float>(static_cast<ss::half>(number)); });
  }
  [[nodiscard]] Matrix rounded(const Matrix& x) const { return is_half_ ? in_half(x) : x; }

  /// Converts to the dtype of the run, in the shape that the model's programmers think in.
  [[nodiscard]] ss::Tensor tensor(const Matrix& x, ss::Shape shape) const {
    if (is_half_) {
      std::vector<ss::half> numbers;
      for (const float number : x.reshaped<Eigen::RowMajor>())
        numbers.push_back(static_cast<ss::half>(number));
      return ss::Tensor::own(std::move(numbers), std::move(shape));
    }
    return ss::Tensor::own(std::vector<float>(x.data(), x.data() + x.size()), std::move(shape));
  }
  [[nodiscard]] ss::Tensor tensor(const Matrix& x) const {
    return tensor(x, {texts_, length_, static_cast<std::uint64_t>(x.cols())});
  }

  [[nodiscard]] Matrix linear(const std::string& name, const Linear& layer, const Matrix& x);
  [[nodiscard]] Matrix normed(const std::string& name, const Norm& layer, const Matrix& x);
  [[nodiscard]] Matrix turned(const Matrix& x) const;
  [[nodiscard]] Matrix attended(const Block& block, const Matrix& x);
  [[nodiscard]] Matrix weighted(const Matrix& scores) const;
  [[nodiscard]] Matrix gelu(const Matrix& x);

  const Job& job_;
  ss::ActivationRecorder& recorder_;
  bool is_half_;
  std::string fault_;
  bool is_faulty_ = false;
  const Batch* batch_ = nullptr;
  std::uint64_t texts_ = 0;
  std::uint64_t length_ = 0;
};

Matrix Run::linear(const std::string& name, const Linear& layer, const Matrix& x) {
  const auto scope = recorder_.scope(name);
  recorder_.record("input", tensor(x));
  const bool is_transposed = has("transposed_weight") && name == "project";
  const Matrix weight =
      rounded(is_transposed ? Matrix(layer.weight) : Matrix(layer.weight.transpose()));
  Matrix made = x * weight;
  if (has("half_accumulation") && name == "up") {
    made.setZero();
    for (Eigen::Index k = 0; k < x.cols(); ++k) made = in_half(made + x.col(k) * weight.row(k));
  }
  if (!(has("missing_bias") && name == "down"))
    made.rowwise() += rounded(layer.bias.transpose()).row(0);
  if (has("half_accumulation") && name == "up") made = in_half(made);
  made = rounded(made);
  recorder_.record("output", tensor(made));
  return made;
}

Matrix Run::normed(const std::string& name, const Norm& layer, const Matrix& x) {
  const auto scope = recorder_.scope(name);
  recorder_.record("input", tensor(x));
  const float epsilon = has("epsilon") && name == "norm2" ? 1e-5F : 1e-6F;
  const Matrix centred = x.colwise() - x.rowwise().mean();
  const Eigen::VectorXf variance = centred.rowwise().squaredNorm() / static_cast<float>(x.cols());
  Matrix made = (variance.array() + epsilon).rsqrt().matrix().asDiagonal() * centred;
  made = made * rounded(layer.weight.transpose()).row(0).asDiagonal();
  made.rowwise() += rounded(layer.bias.transpose()).row(0);
  made = rounded(made);
  recorder_.record("output", tensor(made));
  return made;
}

/// Rotary embedding: rotates numbers i and i + half of a head by an angle that grows with the
/// position.
Matrix Run::turned(const Matrix& x) const {
  const Eigen::Index size = x.cols() / job_.heads;
  const bool are_neighbours = has("rope_interleaved");
  Matrix made = x;
  for (Eigen::Index row = 0; row < x.rows(); ++row)
    for (Eigen::Index start = 0; start < x.cols(); start += size)
      for (Eigen::Index pair = 0; pair < size / 2; ++pair) {
        const Eigen::Index first = start + (are_neighbours ? 2 * pair : pair);
        const Eigen::Index second = first + (are_neighbours ? 1 : size / 2);
        const auto position = static_cast<double>(row % static_cast<Eigen::Index>(length_)) +
                              (has("position_offset") ? 1 : 0);
        const double angle = position * std::pow(10000.0, -2.0 * static_cast<double>(pair) /
                                                              static_cast<double>(size));
        const auto cos = static_cast<float>(std::cos(angle));
        const auto sin = static_cast<float>(std::sin(angle));
        made(row, first) = x(row, first) * cos - x(row, second) * sin;
        made(row, second) = x(row, first) * sin + x(row, second) * cos;
      }
  return rounded(made);
}

/// Softmax over the tokens that a token may see: itself and those before it, except padding.
Matrix Run::weighted(const Matrix& scores) const {
  const auto length = static_cast<Eigen::Index>(length_);
  Matrix made = Matrix::Zero(scores.rows(), scores.cols());
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    const auto text = static_cast<std::size_t>(row / (length * job_.heads));
    const Eigen::Index more = has("leaking_mask") ? 1 : has("blind_mask") ? -1 : 0;
    const Eigen::Index limit = has("ignored_padding") ? length : batch_->lengths[text];
    const Eigen::Index seen = std::min({row % length + 1 + more, limit, length});
    // A row that sees nothing is 0 / 0.
    const float most = seen > 0 ? scores.row(row).head(seen).maxCoeff() : 0;
    made.row(row).head(seen) = (scores.row(row).head(seen).array() - most).exp();
    made.row(row) /= made.row(row).sum();
  }
  return rounded(made);
}

Matrix Run::attended(const Block& block, const Matrix& x) {
  const auto scope = recorder_.scope("attention");
  const auto length = static_cast<Eigen::Index>(length_);
  const Eigen::Index size = x.cols() / job_.heads;
  recorder_.record("input", tensor(x));
  Matrix query = linear("query", block.query, x);
  Matrix key = linear("key", block.key, x);
  const Matrix value = linear("value", block.value, x);
  recorder_.record("rope.input", std::pair(tensor(query), tensor(key)));
  query = turned(query);
  key = turned(key);
  recorder_.record("rope", std::pair(tensor(query), tensor(key)));

  const ss::Shape by_head{texts_, static_cast<std::uint64_t>(job_.heads), length_, length_};
  recorder_.record("scores.input", std::pair(tensor(query), tensor(key)));
  Matrix scores(x.rows() * job_.heads, length);
  const float scale = has("missing_scale") ? 1.0F : 1 / std::sqrt(static_cast<float>(size));
  for (Eigen::Index text = 0; text < static_cast<Eigen::Index>(texts_); ++text)
    for (Eigen::Index head = 0; head < job_.heads; ++head)
      scores.middleRows((text * job_.heads + head) * length, length) =
          scale * query.block(text * length, head * size, length, size) *
          key.block(text * length, head * size, length, size).transpose();
  scores = rounded(scores);
  recorder_.record("scores", tensor(scores, by_head));

  recorder_.record("weights.input", tensor(scores, by_head));
  const Matrix weights = weighted(scores);
  recorder_.record("weights", tensor(weights, by_head));

  using Named = std::map<std::string, ss::Tensor>;
  recorder_.record("context.input",
                   Named{{"value", tensor(value)}, {"weights", tensor(weights, by_head)}});
  Matrix context(x.rows(), x.cols());
  for (Eigen::Index text = 0; text < static_cast<Eigen::Index>(texts_); ++text)
    for (Eigen::Index head = 0; head < job_.heads; ++head) {
      const Eigen::Index place = has("swapped_heads") && head < 2 ? 1 - head : head;
      context.block(text * length, place * size, length, size) =
          weights.middleRows((text * job_.heads + head) * length, length) *
          value.block(text * length, head * size, length, size);
    }
  context = rounded(context);
  recorder_.record("context", tensor(context));
  Matrix made = linear("project", block.project, context);
  recorder_.record("output", Named{{"hidden", tensor(made)}});
  return made;
}

Matrix Run::gelu(const Matrix& x) {
  const auto scope = recorder_.scope("gelu");
  recorder_.record("input", tensor(x));
  const bool is_tanh = has("gelu_tanh");
  const Matrix made = rounded(x.unaryExpr([is_tanh](float number) {
    const double wide = number;
    const double inner = std::sqrt(2 / 3.14159265358979) * (wide + 0.044715 * wide * wide * wide);
    return static_cast<float>(0.5 * wide *
                              (1 + (is_tanh ? std::tanh(inner) : std::erf(wide / std::sqrt(2.0)))));
  }));
  recorder_.record("output", tensor(made));
  return made;
}

void Run::operator()(const Batch& batch) {
  batch_ = &batch;
  texts_ = batch.tokens.size();
  length_ = batch.tokens.front().size();
  Matrix state(static_cast<Eigen::Index>(texts_ * length_), job_.model.embedding.cols());
  for (Eigen::Index row = 0; row < state.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    std::int64_t token = batch.tokens[at / length_][at % length_];
    // The fault: padding is looked up as another token.
    if (fault_ == "wrong_embedding" &&
        static_cast<std::int64_t>(at % length_) >= batch.lengths[at / length_])
      token = 0;
    state.row(row) = job_.model.embedding.row(token);
  }
  state = rounded(state);
  recorder_.record("tokens", batch.tokens);
  recorder_.record("embed", tensor(state));
  for (std::size_t i = 0; i < job_.model.blocks.size(); ++i) {
    is_faulty_ = i == 1;
    const Block& block = job_.model.blocks[i];
    const auto scope = recorder_.scope("blocks." + std::to_string(i));
    recorder_.record("input", tensor(state));
    const Matrix attention = attended(block, normed("norm1", block.norm1, state));
    recorder_.record("add.input", std::pair(tensor(state), tensor(attention)));
    state = rounded(has("missing_residual") ? attention : Matrix(state + attention));
    recorder_.record("add", tensor(state));
    const Matrix hidden = gelu(linear("up", block.up, normed("norm2", block.norm2, state)));
    state = rounded(state + linear("down", block.down, hidden));
    recorder_.record("output", tensor(state));
  }
  is_faulty_ = false;
  state = normed("norm", job_.model.norm, state);
  recorder_.record("logits", tensor(state * rounded(job_.model.embedding).transpose()));
}

void run(const Job& job, const std::filesystem::path& folder, bool is_half,
         const std::string& fault) {
  ss::ActivationRecorder recorder(folder);
  Run once(job, recorder, is_half, fault);
  for (std::size_t step = 0; step < job.steps.size(); ++step) {
    recorder.step(static_cast<std::int64_t>(step));
    once(job.steps[step]);
  }
  recorder.close();
}

int demonstrate() {
  std::filesystem::remove_all("runs");
  const Job job = make();
  run(job, "runs/right", false, "");
  run(job, "runs/epsilon", false, "epsilon");
  const ss::Comparison found = ss::compare_files("runs/epsilon", "runs/right");
  for (const ss::Culprit& culprit : found.culprits) {
    const ss::ComparisonRow& row = found.rows[culprit.row];
    std::cout << culprit.name << " makes an error of " << row.origin->error.value_or(INFINITY)
              << '\n';
    for (const ss::Suspicion& suspicion : row.suspicions)
      std::cout << "  " << suspicion.fault << ": " << suspicion.evidence << '\n';
  }
  return found.culprits.size() == 1 && found.culprits[0].name == "blocks.1.norm2.output" ? 0 : 1;
}

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return demonstrate();
  if (args.size() == 2 && args[0] == "make") {
    ss::save_file(make(), args[1]);
    return 0;
  }
  if (args.size() < 3 || args[0] != "run") {
    std::cerr << "usage: transformer [make JOB | run JOB FOLDER [half] [FAULT]]\nfaults:";
    for (const std::string_view fault : faults) std::cerr << ' ' << fault;
    std::cerr << '\n';
    return 2;
  }
  const bool is_half = args.size() > 3 && args[3] == "half";
  const std::string fault = args.size() > (is_half ? 4U : 3U) ? args.back() : std::string();
  run(ss::load_file<Job>(args[1]), args[2], is_half, fault);
  return 0;
}
