// msgpack-c++; numbers of a tensor as one binary object, as whoever stores tensors in it does.
#include <fstream>

#include <msgpack.hpp>

#include "peer.hpp"

namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
  namespace adaptor {

  template <>
  struct pack<std::vector<float>> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const std::vector<float>& numbers) const {
      const auto size = static_cast<std::uint32_t>(numbers.size() * sizeof(float));
      out.pack_bin(size);
      out.pack_bin_body(reinterpret_cast<const char*>(numbers.data()), size);
      return out;
    }
  };
  template <>
  struct convert<std::vector<float>> {
    const msgpack::object& operator()(const msgpack::object& from,
                                      std::vector<float>& numbers) const {
      if (from.type != type::BIN) throw type_error();
      const auto* const first = reinterpret_cast<const float*>(from.via.bin.ptr);
      // Unaligned, which the processors that this is measured on do not mind.
      numbers.assign(first, first + from.via.bin.size / sizeof(float));
      return from;
    }
  };

  template <bench::Record T>
    requires(!std::is_same_v<T, std::string>)
  struct pack<T> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& out, const T& record) const {
      out.pack_array(static_cast<std::uint32_t>(boost::pfr::tuple_size_v<T>));
      boost::pfr::for_each_field(record, [&](const auto& field) { out.pack(field); });
      return out;
    }
  };
  template <bench::Record T>
    requires(!std::is_same_v<T, std::string>)
  struct convert<T> {
    const msgpack::object& operator()(const msgpack::object& from, T& record) const {
      if (from.type != type::ARRAY || from.via.array.size != boost::pfr::tuple_size_v<T>)
        throw type_error();
      const msgpack::object* next = from.via.array.ptr;
      boost::pfr::for_each_field(record, [&](auto& field) { (next++)->convert(field); });
      return from;
    }
  };

  }  // namespace adaptor
}
}  // namespace msgpack

namespace bench {

struct Msgpack {
  static std::string version() { return MSGPACK_VERSION; }

  template <class T>
  static void save(const T& object, const std::string& file) {
    std::ofstream stream(file, std::ios::binary);
    msgpack::pack(stream, object);
    stream.close();
    require(!stream.fail(), "cannot write");
  }
  template <class T>
  static T load(const std::string& file) {
    const std::string bytes = content_of(file);
    const auto by_reference = [](msgpack::type::object_type, std::size_t, void*) { return true; };
    const auto most = std::numeric_limits<std::size_t>::max();
    const msgpack::unpack_limit limits(most, most, most, most, most, most);
    const msgpack::object_handle handle =
        msgpack::unpack(bytes.data(), bytes.size(), by_reference, nullptr, limits);
    return handle.get().as<T>();
  }
};

}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Msgpack>(argc, argv); }
