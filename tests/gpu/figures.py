"""Figures of the recordings that check.sh made: what must hold is asserted, the rest printed.

usage: figures.py FOLDER
"""

import sqlite3
import statistics
import sys


def open_recording(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def medians(db):
    """Median plain makespan in ns by (policy, streams)."""
    cells = {}
    for policy, streams, ns in db.execute(
        "SELECT policy, streams, makespan_ns FROM run JOIN cell ON cell.id = cell_id"
        " WHERE pass = 'plain' AND run.status = 'complete'"
    ):
        cells.setdefault((policy, streams), []).append(ns)
    return {cell: statistics.median(values) for cell, values in cells.items()}


def perturbations(db):
    """Median traced / plain of twins by (policy, streams)."""
    cells = {}
    for policy, streams, ratio in db.execute(
        "SELECT policy, streams, 1.0 * t.makespan_ns / p.makespan_ns FROM run t"
        " JOIN run p ON p.cell_id = t.cell_id AND p.repeat = t.repeat AND p.pass = 'plain'"
        " JOIN cell ON cell.id = t.cell_id WHERE t.pass = 'traced'"
    ):
        cells.setdefault((policy, streams), []).append(ratio)
    return {cell: statistics.median(values) for cell, values in cells.items()}


def unverified(db):
    return db.execute(
        "SELECT count(*) FROM cell WHERE status <> 'complete' OR id NOT IN"
        " (SELECT cell_id FROM run WHERE verified = 1)"
        " OR id IN (SELECT cell_id FROM run WHERE verified = 0)"
    ).fetchone()[0]


def closest_ends(db):
    """Least (distance of raw end events) / (bytes at 60 GB/s) among copies of one direction."""
    least = {}
    for kind in ("h2d", "d2h"):
        rows = db.execute(
            "SELECT run_id, done, bytes FROM op WHERE kind = ? AND done IS NOT NULL ORDER BY run_id, done",
            (kind,),
        ).fetchall()
        for (run_a, done_a, _), (run_b, done_b, size) in zip(rows, rows[1:]):
            if run_a == run_b:
                ratio = (done_b - done_a) / (size / 60.0)
                least[kind] = min(ratio, least.get(kind, ratio))
    return least


def main():
    folder = sys.argv[1]
    held = True
    for name in ("batch-1", "batch-2", "mixed", "mixed-events", "batch-ptx"):
        db = open_recording(f"{folder}/{name}.gpuprobe")
        times, costs = medians(db), perturbations(db)
        wrong = unverified(db)
        held &= wrong == 0
        image = db.execute("SELECT image FROM device").fetchone()[0]
        print(f"{name} ({image}): {wrong} cells not verified")
        for cell in times:
            print(f"  {cell[0]:<12} {cell[1]:>3}  {times[cell] / 1e6:8.3f} ms  traced/plain {costs.get(cell, float('nan')):.3f}")
        if name == "mixed":
            ratio = times[("round-robin", 1)] / times[("round-robin", 4)]
            held &= ratio >= 1.8 and all(cost <= 1.05 for cost in costs.values())
            print(f"  pool 1 / pool 4: {ratio:.2f} (at least 1.8); worst traced/plain {max(costs.values()):.3f} (at most 1.05)")
        if name == "mixed-events":
            least = closest_ends(db)
            held &= all(ratio >= 1.0 for ratio in least.values())
            print(f"  closest raw ends of one direction, in times bytes / 60 GB/s (at least 1): {least}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
