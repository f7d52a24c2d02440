"""`convert` keeps every golden structure."""

import check_convert
import checks

checks.run_check(check_convert, checks.cli(), checks.GOLDEN, "converted")
