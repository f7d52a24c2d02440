// cereal's binary archive.
#include <fstream>

#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cereal/version.hpp>

#include "peer.hpp"

namespace bench {

template <class Archive, Record T>
void serialize(Archive& archive, T& record) {
  boost::pfr::for_each_field(record, [&](auto& field) { archive(field); });
}

struct Cereal {
  static std::string version() {
    return dotted(CEREAL_VERSION_MAJOR, CEREAL_VERSION_MINOR, CEREAL_VERSION_PATCH);
  }

  template <class T>
  static void save(const T& object, const std::string& file) {
    std::ofstream stream(file, std::ios::binary);
    cereal::BinaryOutputArchive archive(stream);
    archive(object);
    stream.close();
    require(!stream.fail(), "cannot write");
  }
  template <class T>
  static T load(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    cereal::BinaryInputArchive archive(stream);
    T result;
    archive(result);
    return result;
  }
};

}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Cereal>(argc, argv); }
