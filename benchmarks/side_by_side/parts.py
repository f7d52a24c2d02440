"""Runs the Google Benchmark programs of parts/ and collects their figures."""

import json
import subprocess

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def entry(run):
    ns = run["cpu_time"] * UNITS[run["time_unit"]]
    # Processor time, and so are the rates: what else runs on the machine matters less.
    items = run.get("items_per_second")
    rate = run.get("bytes_per_second")
    return {
        "name": run["run_name"],
        "ns": ns,
        "per_item": 1e9 / items if items else ns,
        "rate": f"{rate / 1e9:.1f}" if rate else "",
    }


def measure(folder):
    results = []
    for program in sorted(folder.glob("*_bench")):
        command = [
            str(program),
            "--benchmark_format=json",
            "--benchmark_repetitions=3",
            "--benchmark_min_time=0.1",
            "--benchmark_enable_random_interleaving=true",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"  {program.name}: {done.stderr.strip()[-200:]}")
            continue
        for run in json.loads(done.stdout)["benchmarks"]:
            if run.get("aggregate_name") == "median":
                results.append(entry(run))
    return results
