"""`show --json` says what Python reads in every golden structure."""

import check_show_json
import checks

checks.run_check(check_show_json, checks.cli(), checks.GOLDEN)
