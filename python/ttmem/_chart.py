# SPDX-License-Identifier: Apache-2.0
"""A small picture of a run: allocated DRAM over its memory blocks, for notebooks."""

from html import escape
from typing import Any, List, Tuple

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, POINTS = 720, 220, 70, 28, 24, 600


def highest_of(values: Any, points: int) -> List[Tuple[int, int]]:
    """At most `points` (row, value) pairs: the highest value of each part, so that a peak is never left out.

    >>> highest_of([1, 9, 2, 3], 2)
    [(1, 9), (3, 3)]
    """
    count = len(values)
    if count <= points:
        return list(enumerate(values))
    found = []
    for i in range(points):
        begin, end = i * count // points, (i + 1) * count // points
        part = values[begin:end]
        best = max(range(len(part)), key=part.__getitem__)
        found.append((begin + best, part[best]))
    return found


def svg(run: Any) -> str:
    peak = run.peak("dram")
    values = run.blocks()["dram_allocated_bytes_per_bank"].values
    title = "%s: allocated DRAM, MB per bank" % run.name
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT, WIDTH, HEIGHT)
    out = [head, '<text x="%d" y="16">%s</text>' % (LEFT, escape(title))]
    if not len(values) or peak is None:
        return "".join(out) + '<text x="%d" y="60">no memory blocks</text></svg>' % LEFT
    # the scale ends at the capacity where that is not far above: a small model would be a flat line otherwise
    capacity = peak.capacity_bytes_per_bank or 0
    top = capacity if 0 < capacity < 4 * peak.allocated_bytes_per_bank else max(peak.allocated_bytes_per_bank, 1)
    room = HEIGHT - TOP - BOTTOM

    def place(row: int, value: int) -> str:
        return "%.1f,%.1f" % (LEFT + (WIDTH - LEFT - 10) * row / max(len(values) - 1, 1), TOP + room - room * min(value, top) / top)

    points = highest_of(values, POINTS)
    line = " ".join(place(row, value) for row, value in points)
    out.append('<polyline points="%s" fill="none" stroke="#7c68fa" stroke-width="1.5"/>' % line)
    if top == capacity:
        out.append('<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#d03050" stroke-dasharray="4 3"/>' % (LEFT, WIDTH - 10, TOP, TOP))
    for value in (0, top // 2, top):
        out.append('<text x="%d" y="%.1f" text-anchor="end">%.1f</text>' % (LEFT - 6, TOP + room - room * value / top + 4, value / 2**20))
    words = "peak %s%.1f MB" % ("at least " if peak.at_least else "", peak.allocated_bytes_per_bank / 2**20)
    if peak.used_percent is not None:
        words += ", %.1f %% of a bank" % peak.used_percent
    out.append('<text x="%d" y="%d" text-anchor="end">%s</text></svg>' % (WIDTH - 10, HEIGHT - 6, escape(words)))
    return "".join(out)
