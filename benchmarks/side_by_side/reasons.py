"""Why a target was missed, as measurements tell it; keyed by the target's text in targets.py."""

ZERO_COPY = (
    "safetensors 0.8.0 writes NumPy arrays without the copy that earlier versions made, so that it is "
    "about as fast as the Rust crate; even fallocate+write is not 4 times faster than that"
)
SMALL_BLOCKS = (
    "a vector of 1 MiB comes from the allocator in 4 KiB pages, and their first touch is what costs: "
    "see the row `read into blocks of 1 MiB`, which does nothing else. `std::vector<Tensor>` has no "
    "such cost, nor has a program whose allocator uses huge pages: see that row, and that Python gains "
    "as much there"
)
STRUCT_VECTORS = (
    "the row `ours into Value` has the same nodes and leaves the tensors where they were read; the "
    "difference is 2,000 vectors of 4 KiB: 3 ms of first touches at 1.5 us a page, and 8 MB of copying. "
    "Where the allocator uses huge pages the target is met, by the peers' figures under the same "
    "setting too"
)
SCALARS = (
    "each number is a node of text, with its kind and for dicts the key's node beside it, as Python's "
    "package reads it: our file is 4.4 MB, 55 bytes a node, pickle's 0.33 MB. What writing and reading "
    "as many bytes takes is the first row. Loading takes eight instructions for each of these bytes "
    "(callgrind, which has no AVX-512); the first touch of memory for the text and the values takes as long"
)
BARE_NUMBERS = (
    "the fastest of them writes numbers one after another, without names, dtypes, shapes or kinds, and "
    "reads them into the same types only; here the text that says these is most of what we write. "
    "Where tensors are as large as in models, ours is ahead: W16"
)
SMALL_RECORDS = (
    "1.07, 1.15, 1.11 and 1.0 in four tables of one day, 1.0 to 1.07 where it runs by itself: the thread that records "
    "and the one that writes share two processors with the system, which first makes 50 MB of memory present for "
    "what waits"
)
COMPARED_ROWS = (
    "1.21, 1.66, 1.21 and 1.18 in four tables of one day: comparing takes 12 or 18 ms by turns on such machines, whose "
    "two processors are not always two cores, and reading, by one thread, 10. The metrics of a pair that differs take "
    "125 ns for its 64 numbers, more than reading it. SWEEP_RECORDS.md has the other sizes"
)
COMPARED_RECORDS = (
    "what a record takes besides its numbers (its place in the other recording, a sample, a row of the "
    "result) is a third of the time of 16,384 numbers; of R3's it is nothing"
)
COMPARED_FASTER = (
    "here 512 MiB are read from the page cache at 12 GB/s, three times as fast as on the machine of "
    "RESULTS_2026-11-23.md (0.69, with suspicions 1.14): what takes the time is the sums and steps "
    "themselves, on two cores. The same program takes 55 or 85 ms by turns"
)
SPREAD = "within the spread of the runs: it was met in others of this machine, or on the ones before"
PLAIN_WRITES = (
    "write() alone is as fast here as into space that was reserved: compare `write` with "
    "`fallocate+write` under W1 save. Whoever writes each byte once is at the limit then, but for the "
    "spread of the runs. Where pages of the page cache cost more, the ratio to Rust was 1.6 "
    "(RESULTS_2026-11-20.md)"
)
CHEAP_READS = (
    "ours takes 0.4 to 0.6 of the limit by its two threads, and the peers 1.3 to 2 of it: a first touch of "
    "memory costs less here than on the machine of RESULTS_2026-11-20.md, where 4 was met"
)
CHEAP_CALLS = (
    "3.9 us of ours to save and 2.4 to load, on the machine of RESULTS_2026-11-20.md 3.9 and 3.2: the limit's "
    "own calls of the system took 18 and 2.4 us there, here 6.9 and 0.8"
)
COMPOUND = (
    "HDF5's compound type writes the structs as they lie in memory, and reads them so: one copy. Ours "
    "are eight tensors, gathered from the structs; a struct of vectors, which needs no gathering, is "
    "faster than it"
)
EXPLANATIONS = {
    "W1 save, Rust / ours": PLAIN_WRITES,
    "W2 save, Rust / ours": PLAIN_WRITES,
    **{f"{name} save, the fastest C++ peer / ours": PLAIN_WRITES for name in ("W1", "W2", "W16")},
    **{
        f"{name} load into {into}, {who} / ours": CHEAP_READS
        for name, into in (("W1", "std::vector"), ("W1", "Tensor"), ("W2", "Tensors"))
        for who in ("Rust safetensors", "Python safetensors")
    },
    "B1 load, named MessagePack, into std::vectors / read into huge pages": (
        "the numbers lie at any offset: they are read by pieces of 256 KiB and copied once more, into vectors "
        "of which half lies in pages of 4 KiB. A fifth of the samples (perf) is reading, an eighth that copy, "
        "over a third the first touch of memory. `ours into Tensors` does none of that"
    ),
    "touch, written in 1 MiB pieces / written by us": (
        "how fast a file is mapped that was written in pieces depends on the system: see the three rows of "
        "`open and touch every page`"
    ),
    "W13 save / create+write+rename": CHEAP_CALLS,
    "W13 load / open+read": CHEAP_CALLS,
    "W12 save, the fastest C++ peer / ours": COMPOUND,
    "W12 load, the fastest C++ peer / ours": COMPOUND,
    "W15 save, the fastest C++ peer / ours": (
        "the two fastest of them and ours are within the spread of the runs, at 1.4 of the limit"
    ),
    "W15 load, the fastest C++ peer / ours": (
        "both fill 6,000 vectors from an allocator of 4 KiB pages; what ours does besides is the file "
        "itself, mapped, and the schema. `ours into Tensors` leaves the numbers where they are"
    ),
    "growth of parse_header from 10^2 to 10^6, an item": (
        "the tables of a million names are 50 MB, and their places are looked up in no order; 1.9 on the "
        "machine of RESULTS_2026-11-20.md"
    ),
    "W14 save, pickle 5 / ours": SCALARS,
    "W14 load, pickle 5 / ours": SCALARS,
    "W14 load, malloc in huge pages, pickle 5 / ours": SCALARS,
    **{
        f"{name} {job}, the fastest C++ peer / ours": BARE_NUMBERS
        for name in ("W3", "W4", "W14")
        for job in ("save", "load")
    },
    **{
        f"{name} all numbers different{what} / reading both": COMPARED_FASTER
        for name in ("D1", "D2")
        for what in ("", ", with suspicions")
    },
    "W2 save / fallocate+write": SPREAD,
    "W2 load, the fastest C++ peer / ours": (
        "both fill 1,000 vectors of 1 MiB from an allocator of 4 KiB pages, which is nearly all of it: see the row "
        "`read into blocks of 1 MiB`; 1.06 in the table before. `ours into Tensors` takes an eighth"
    ),
    "growth of write_header from 10^2 to 10^6, an item": (
        "54 ns an item and 64 of the processor's time, right after this run; 1.14 in the table before. A million "
        "names fill 100 MB of fresh memory"
    ),
    "W1 durable save / write+fsync": SPREAD,
    "W2 load into std::vectors, malloc in huge pages / read into huge pages": SPREAD,
    **{
        f"compile time of umbrella header + saving a struct of 10 fields, {who}: more than an empty file": (
            "the compilers take up to a third longer here than on the machine of RESULTS_2026-11-23.md, for the "
            "commit 01d0982 as well: what was added since is measured against that, further down"
        )
        for who in ("GCC", "Clang")
    },
    "compile time of ten structs, GCC: more than at 01d0982": (
        "between 0.24 and 0.40 in six runs of four commits: seconds of a shared machine"
    ),
    "growth of write_schema from 10^2 to 10^6, an item": SPREAD,
    "R1 the writer alone, records moved in / write() and free() of each": SMALL_RECORDS,
    **{
        f"{name} the writer alone, records moved in / write() and free() of each": SPREAD
        for name in ("R2", "R3")
    },
    **{
        f"{name} compare, {what} / reading both": reason
        for name, reason in (("R1", COMPARED_ROWS), ("R2", COMPARED_RECORDS))
        for what in ("equal", "different from the 50th layer on")
    },
    "W1 save, Python safetensors / ours": ZERO_COPY,
    "W2 save, Python safetensors / ours": ZERO_COPY,
    "W2 load into std::vectors / read into huge pages": SMALL_BLOCKS,
    "W2 load into std::vectors, Rust safetensors / ours": SMALL_BLOCKS,
    "W2 load into std::vectors, Python safetensors / ours": SMALL_BLOCKS,
    "W1 open": (
        "one call in a process of its own, among rows that use GiBs; the median moves from run to run, "
        "0.061 in the one before. The same call takes 0.04 ms in a sequence of such calls, and 0.06 right "
        "after a GiB was saved"
    ),
    "W2 open": (
        "half of it is the schema: see the row `ours, container alone`. The rest is about 120 first "
        "touches of pages of 4 KiB at 1.5 us, for 130 KB of header and 1,000 tensors of 200 bytes, and "
        "about 90 ns a tensor for its line in the header and 130 for its node in the schema"
    ),
    "W3 typed load, a tensor": (
        "into Tensors it is met: see that row. 100,000 vectors are the program's own memory, from the allocator; "
        "their first touch is a seventh of it"
    ),
    "W4 load of structs, Python safestructures / ours": STRUCT_VECTORS,
    "W4 load of structs, pickle 5 / ours": STRUCT_VECTORS,
}
