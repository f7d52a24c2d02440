"""What including the library costs: compile time, object size, library size."""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile

EMPTY = "an empty file"
ONE = "umbrella header + saving a struct of 10 fields"
LOADING = "the same with loading"
SOURCES = {EMPTY: "empty.cpp", ONE: "save_struct.cpp", LOADING: "save_and_load_struct.cpp"}
FIFTY = "umbrella header + saving and loading 50 structs of 10 fields, -O0"
TEN = "umbrella header + saving and loading 10 structs of 10 fields"
FIELDS = (
    "int", "float", "double", "std::string", "bool", "std::vector<float>", "std::optional<int>",
    "std::int64_t", "std::vector<std::string>", "std::uint8_t",
)
COMPILERS = {"GCC": ("g++",), "Clang": ("clang++-14", "clang++")}


def program_with(structs):
    """The text of a program with structs of 10 fields of ten types, each in an order of its own."""
    text = "#include <safestructures/safestructures.hpp>\n"
    for i in range(structs):
        fields = (f"{FIELDS[(i + j) % 10]} field_{i}_{j};" for j in range(10))
        text += f"struct S{i} {{ {' '.join(fields)} }};\n"
        text += f'void save(const S{i}& s) {{ safestructures::save_file(s, "s"); }}\n'
        text += f'S{i} load{i}() {{ return safestructures::load_file<S{i}>("s"); }}\n'
    return text


def code_size(object_file):
    """Bytes of code and of constants: the column text of `size`."""
    done = subprocess.run(["size", object_file], check=True, capture_output=True, text=True)
    return int(done.stdout.splitlines()[1].split()[0])


def compile_once(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # `g++` may be ccache, which would compile nothing.
    subprocess.run(command, check=True, env=os.environ | {"CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time: what else runs on the machine does not count.
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compile_times(root, repetitions, names=(ONE, LOADING, TEN, FIFTY)):
    """By (compiler, name): what compiling costs, and what an empty file does."""
    names = (EMPTY, *names)
    results = {}
    for compiler, commands in COMPILERS.items():
        path = next(filter(None, map(shutil.which, commands)), None)
        if path is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            sources = {name: root / "benchmarks/compile" / file for name, file in SOURCES.items()}
            for name, structs in ((TEN, 10), (FIFTY, 50)):
                sources[name] = pathlib.Path(folder) / f"structs_{structs}.cpp"
                sources[name].write_text(program_with(structs))
            sources = {name: sources[name] for name in names}
            seconds = {name: [] for name in sources}
            sizes, codes = {}, {}
            for _ in range(repetitions):
                for name, file in sources.items():
                    target = pathlib.Path(folder) / (file.stem + ".o")
                    level = ["-O0"] if name == FIFTY else ["-O2", "-DNDEBUG"]
                    command = [path, "-std=c++20", *level, f"-I{root / 'include'}"]
                    seconds[name].append(compile_once([*command, "-c", file, "-o", target]))
                    sizes[name] = target.stat().st_size
                    codes[name] = code_size(target)
        empty = statistics.median(seconds[EMPTY])
        for name, values in seconds.items():
            median = statistics.median(values)
            results[compiler, name] = {
                "seconds": median,
                "more": median - empty,
                "kilobytes": sizes[name] / 1024,
                "code": codes[name],
            }
    return results


def stripped_size(library, folder):
    copy = pathlib.Path(folder) / f"stripped-{library.name}"
    shutil.copy(library, copy)
    subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return copy.stat().st_size


def library_sizes(build):
    static = build / "libsafestructures.a"
    if not static.exists():
        return {}
    with tempfile.TemporaryDirectory() as folder:
        sizes = {"static library, stripped": stripped_size(static, folder)}
        # Linked whole with its dependencies' shared libraries, as the shared build is.
        shared = pathlib.Path(folder) / "libsafestructures.so"
        whole = ["-Wl,--whole-archive", static, "-Wl,--no-whole-archive"]
        libraries = ["-lfmt", "-lsimdjson", "-lxxhash", "-ldeflate", "-lpthread"]
        linked = subprocess.run(["c++", "-shared", *whole, *libraries, "-o", shared])
        if linked.returncode == 0:
            sizes["shared library, stripped"] = stripped_size(shared, folder)
        tool = build / "bin/safestructures"
        if tool.exists():
            sizes["the tool, stripped"] = stripped_size(tool, folder)
    return sizes


def measure(root, build, repetitions):
    return {"compile": compile_times(root, repetitions), "sizes": library_sizes(build)}
