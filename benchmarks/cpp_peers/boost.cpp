// Boost.Serialization's binary archive, without the object tracking and class versions that are its
// default: they are for graphs of pointers, and would only slow it.
#include <fstream>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/level.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/vector.hpp>
#include <boost/version.hpp>

#include "peer.hpp"

BOOST_CLASS_IMPLEMENTATION(bench::OneTensor, boost::serialization::object_serializable)
BOOST_CLASS_IMPLEMENTATION(bench::Sample, boost::serialization::object_serializable)
BOOST_CLASS_IMPLEMENTATION(bench::Particle, boost::serialization::object_serializable)
BOOST_CLASS_IMPLEMENTATION(bench::Reading, boost::serialization::object_serializable)
BOOST_CLASS_IMPLEMENTATION(bench::Chunk, boost::serialization::object_serializable)
BOOST_CLASS_IMPLEMENTATION(bench::Layer, boost::serialization::object_serializable)
BOOST_CLASS_TRACKING(bench::OneTensor, boost::serialization::track_never)
BOOST_CLASS_TRACKING(bench::Sample, boost::serialization::track_never)
BOOST_CLASS_TRACKING(bench::Particle, boost::serialization::track_never)
BOOST_CLASS_TRACKING(bench::Reading, boost::serialization::track_never)
BOOST_CLASS_TRACKING(bench::Chunk, boost::serialization::track_never)
BOOST_CLASS_TRACKING(bench::Layer, boost::serialization::track_never)

namespace boost::serialization {

template <class Archive, bench::Record T>
  requires(!std::is_same_v<T, std::string>)
void serialize(Archive& archive, T& record, unsigned) {
  boost::pfr::for_each_field(record, [&](auto& field) { archive & field; });
}

}  // namespace boost::serialization

namespace bench {

struct Boost {
  static std::string version() { return BOOST_LIB_VERSION; }

  template <class T>
  static void save(const T& object, const std::string& file) {
    std::ofstream stream(file, std::ios::binary);
    {
      boost::archive::binary_oarchive archive(stream);
      archive << object;
    }
    stream.close();
    require(!stream.fail(), "cannot write");
  }
  template <class T>
  static T load(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    boost::archive::binary_iarchive archive(stream);
    T result;
    archive >> result;
    return result;
  }
};

}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Boost>(argc, argv); }
