"""The Python plugin saves and loads what the package refuses."""

import check_python_plugin
import checks

checks.run_check(check_python_plugin)
