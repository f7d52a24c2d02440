"""The Conan 2 recipe: conan create packaging/conan, with what the system's packages provide.

The dependencies are found as CMake finds them in any other build: installed on the system, or by a
toolchain that the profile brings.
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Safestructures(ConanFile):
    name = "safestructures"
    version = "0.1.0"
    description = "Any C++ structure with tensors as one safetensors file, and back"
    license = "MIT"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "plugins/*", "src/*"):
            copy(self, part, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SAFESTRUCTURES_BUILD_SHARED"] = bool(self.options.shared)
        for part in ("CLI", "TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"SAFESTRUCTURES_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Our own package file knows more than Conan would write: components, dependencies.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "safestructures")]
        # The same for what asks Conan in place of CMake: PkgConfigDeps, MesonToolchain and others.
        self.cpp_info.libs = ["safestructures"]
        if self.options.shared:
            self.cpp_info.defines = ["SAFESTRUCTURES_SHARED"]
        else:
            self.cpp_info.system_libs = ["fmt", "simdjson", "xxhash", "deflate", "pthread"]
