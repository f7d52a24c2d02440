"""Which headers of the standard library a source needs, by the names that it uses.

Only frequent names, each with the headers that may provide it: the first is the one to include. A header
of this table that no name is used of is reported, too.
"""

import re
from pathlib import Path

STREAMS = "iosfwd ostream istream iostream sstream fstream ios streambuf"
# Headers, separated by spaces, and the names that any one of them provides.
PROVIDED: dict[str, str] = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_n count count_if equal
        equal_range fill fill_n find find_if find_if_not for_each is_permutation is_sorted
        lexicographical_compare lexicographical_compare_three_way lower_bound max max_element min
        min_element minmax mismatch next_permutation none_of nth_element partition replace reverse
        rotate search shuffle sort stable_sort transform unique upper_bound""",
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": "atomic atomic_ref memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": """bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian
        has_single_bit popcount rotl rotr""",
    "cctype locale": "isalpha isdigit tolower toupper",
    "charconv": "chars_format from_chars to_chars",
    "chrono": "chrono chrono_literals",
    "cmath": """ceil copysign erf erfc exp2 fabs floor fmod frexp hypot ilogb isfinite isinf isnan ldexp log2
        lround modf nan nextafter round rint signbit trunc""",
    "cmath complex": "abs arg conj cos exp log log10 norm pow sin sqrt tanh",
    "compare": "partial_ordering strong_order strong_ordering weak_ordering",
    "complex": "complex",
    "concepts": """copy_constructible convertible_to derived_from floating_point integral invocable same_as
        signed_integral unsigned_integral""",
    "condition_variable": "condition_variable",
    "cstdarg": "va_list",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": """int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t
        uintptr_t""",
    "cstdio": "fclose ferror fflush fopen fputc fputs fwrite snprintf fread FILE remove",
    "cstdlib": "abort exit free getenv malloc strtod system",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strlen strerror",
    "deque": "deque",
    "exception": """current_exception exception exception_ptr make_exception_ptr nested_exception rethrow_exception
        rethrow_if_nested terminate throw_with_nested uncaught_exceptions""",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "ifstream ofstream fstream",
    "functional": """bind_front equal_to function greater greater_equal identity invoke less less_equal minus
        multiplies plus ref cref reference_wrapper""",
    "initializer_list": "initializer_list",
    "iostream": "cerr cin cout",
    "iterator": """advance back_inserter bidirectional_iterator_tag distance forward_iterator_tag inserter
        input_iterator_tag istreambuf_iterator make_move_iterator next prev random_access_iterator_tag""",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": """addressof construct_at destroy_at enable_shared_from_this make_shared make_shared_for_overwrite
        make_unique make_unique_for_overwrite shared_ptr static_pointer_cast dynamic_pointer_cast
        uninitialized_copy unique_ptr weak_ptr""",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow nothrow_t",
    "numbers": "numbers",
    "numeric": "accumulate gcd iota lcm partial_sum reduce",
    "optional": "nullopt nullopt_t optional",
    "random": "mt19937 mt19937_64 normal_distribution random_device uniform_int_distribution uniform_real_distribution",
    "regex": "regex regex_error regex_match",
    "set": "multiset set",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument length_error logic_error out_of_range runtime_error",
    "string": "basic_string char_traits getline stoi stoull string to_string u8string",
    "string_view": "basic_string_view string_view u8string_view",
    "system_error": "errc error_category error_code error_condition generic_category system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply make_tuple tie tuple tuple_cat",
    "type_traits": """add_const_t bool_constant conditional_t decay_t extent_v false_type integral_constant
        invoke_result_t is_aggregate_v is_arithmetic_v is_array_v is_base_of_v is_class_v is_const_v
        is_constructible_v is_convertible_v is_default_constructible_v is_empty_v is_enum_v is_final_v
        is_floating_point_v is_function_v is_integral_v is_invocable_v is_lvalue_reference_v
        is_move_assignable_v is_move_constructible_v is_nothrow_move_constructible_v is_object_v
        is_pointer_v is_polymorphic_v is_reference_v is_rvalue_reference_v is_same_v is_signed_v
        is_trivially_copyable_v is_unsigned_v is_void_v make_signed_t make_unsigned_t
        has_virtual_destructor_v remove_all_extents_t remove_const_t remove_cv_t remove_cvref_t
        remove_extent_t remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": """as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal declval exchange forward
        in_range index_sequence index_sequence_for integer_sequence make_index_sequence
        make_integer_sequence make_pair move swap unreachable""",
    "utility any optional variant": "in_place in_place_index in_place_index_t in_place_type in_place_type_t",
    "utility map unordered_map": "pair",
    "variant": "get_if holds_alternative monostate variant variant_alternative_t visit",
    "vector": "vector",
    f"ostream {STREAMS}": "ostream flush endl",
    f"istream {STREAMS}": "istream",
    f"ios {STREAMS}": "ios streamsize hex dec",
    f"streambuf {STREAMS}": "streambuf",
}
HEADERS = {name: tuple(headers.split()) for headers, names in PROVIDED.items() for name in names.split()}
KNOWN = {header for headers in PROVIDED for header in headers.split()}
# Other signs that a header is needed: names that several headers provide, and what has no name.
ALSO_FOR: dict[str, str] = {
    "algorithm": r"std::(ranges::|swap_ranges)",
    "compare": "<=>",
    "cmath": r"\b(M_PI|INFINITY|NAN|HUGE_VAL)\b",
    "cstdio": r"\b(stdout|stderr|EOF)\b",
    "exception": r"std::exception",
    "functional": r"std::hash\b",
    "initializer_list": r"\bfor \([^;)]*: \{",
    "ios": "std::ios",
    "iterator": r"std::(begin|end|data|size|ssize|empty|iter_\w+|\w*_iterator)\b",
    "new": r"\bnew \(|operator (new|delete)",
    "ostream": "<<",
    "istream": ">>",
    "streambuf": "streambuf|rdbuf",
    "string": r'"s\b',
    "string_view": r'"sv\b',
    "system_error": r"\bmake_error_code\b|is_error_code_enum",
    "tuple": r"std::(get|tuple_\w+)\b",
    "type_traits": r"std::(is|remove|add|make)_\w+",
    "typeinfo": r"\btypeid\b",
    "utility": r"std::(get|tuple_\w+)\b",
    "variant": r"std::(get|hash)\b",
}
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")


def included(text: str) -> list[str]:
    return [name for _, name in INCLUDE.findall(text)]


def code_of(text: str) -> str:
    """The text without comments, includes, and what is in quotes."""
    return COMMENT_OR_TEXT.sub(lambda found: '""' if '"' in found.group()[:2] else " ", INCLUDE.sub("", text))


def own_header(file: Path, roots: list[Path]) -> str:
    """The text of the header that a source implements, which it includes first, before a blank line."""
    if file.suffix != ".cpp":
        return ""
    first = re.match(r'#include [<"]([^>"]+)[>"]\n\n', file.read_text(encoding="utf-8"))
    found = [root / first.group(1) for root in roots if first and (root / first.group(1)).exists()]
    return found[0].read_text(encoding="utf-8") if found else ""


def faults_of(file: Path, roots: list[Path]) -> list[str]:
    """Headers that a source uses but does not include, or includes but does not use. A source has what
    its own header includes."""
    text = file.read_text(encoding="utf-8")
    code = code_of(text)
    here = included(text)
    there = set(here) | set(included(own_header(file, roots)))
    names = set(NAME.findall(code))
    faults = []
    missing: dict[str, str] = {}
    for name in sorted(names & HEADERS.keys()):
        if there.isdisjoint(HEADERS[name]):
            missing.setdefault(HEADERS[name][0], name)
    faults += [f"{file}: include <{header}> for std::{name}" for header, name in missing.items()]
    for header in sorted(KNOWN.intersection(here)):
        is_used = any(header in HEADERS[name] for name in names & HEADERS.keys())
        if not is_used and not re.search(ALSO_FOR.get(header, r"$^"), code):
            faults.append(f"{file}: no name of <{header}> is used")
    return faults
