// One file of a sharded save, without its index: what it holds can be read.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Tensor;
using ss::Value;
using ss::test::error_of;

TEST_CASE("one file of a sharded save is shown, verified and read alone") {
  const ss::test::Folder folder;
  const Value model =
      Value::structure("Model", {{"layers", Value::list({Value(Tensor::own<float>({1, 2})),
                                                         Value(Tensor::own<float>({3, 4}))})},
                                 {"name", "whole"}});
  ss::save_file(model, folder / "m.safetensors",
                {.metadata = {{"run", "7"}}, .checksums = true, .shard_size = 8});
  const auto second = folder / "m-00002-of-00002.safetensors";
  const ss::Document part = ss::open(second);
  CHECK_FALSE(part.has_schema());
  CHECK(part.content().description ==
        "none: one file of a checkpoint in several; open its .index.json for the whole");
  CHECK(part.metadata() == ss::Metadata{{"run", "7"}});
  CHECK(part.state_dict()["layers.1"].tensor().to_vector<float>() == std::vector<float>{3, 4});
  CHECK(ss::load_file(second).at("/layers/1").tensor().to_vector<float>()[0] == 3);
  CHECK(ss::verify_file(second).tensor_count == 1);
  CHECK(error_of([&] { return ss::load_file(second, {.verify_checksums = true}); }) ==
        "checksum_mismatch: " + second.string() +
            ": one file of a checkpoint in several has no checksums of its own. Open the "
            "checkpoint by its .index.json.");
  // The whole is as it was.
  const auto index = folder / "m.safetensors.index.json";
  CHECK(ss::load_file(index, {.verify_checksums = true}) == model);
  CHECK(ss::verify_file(index).has_checksums);
  ss::convert_file(part, folder / "alone.safetensors");
  CHECK(ss::load_file(folder / "alone.safetensors").at("/layers/1").tensor().size() == 2);
}
