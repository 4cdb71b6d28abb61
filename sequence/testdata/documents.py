#!/usr/bin/env python3
"""Prints documents.json: document numbers, and the first days of their periods.

It works them out from docs/sequence-reference.md, with Python's calendar and time zones, and
without this package:

    python3 documents.py > documents.json
"""
import datetime
import json
import zoneinfo

CALENDAR = [None, (1, 1)]  # years that begin on 1 January
FISCAL = [(4, 1), (4, 6), (7, 1), (10, 1), (2, 28), (12, 28)]
OF_MONTHS = [(1, 1), (4, 1), (7, 1), (10, 1)]
PATTERNS = {  # the format of a text, the size of its period, and the starts that it can have
    "INV-{2006}-{00000}": ("INV-{y}-{n:05}", "year", CALENDAR + FISCAL),
    "{06}/{0+}": ("{y2}/{n}", "year", CALENDAR + FISCAL),
    "{2006}-{+06}/{0000}": ("{y}-{e2}/{n:04}", "year", [(1, 1)] + FISCAL),
    "FY{+06}-{000}": ("FY{e2}-{n:03}", "year", [(1, 1)] + FISCAL),
    "{+2006}.{0+}": ("{e}.{n}", "year", [(1, 1)] + FISCAL),
    "{2006}Q{Q}-{000}": ("{y}Q{q}-{n:03}", "quarter", CALENDAR + FISCAL),
    "{06+06}Q{Q}-{0+}": ("{y2}{e2}Q{q}-{n}", "quarter", [(1, 1)] + FISCAL),
    "{2006-01}-{000}": ("{y}-{m:02}-{n:03}", "month", CALENDAR),
    "{2006}-{+06}/{01}/{0+}": ("{y}-{e2}/{m:02}/{n}", "month", OF_MONTHS),
    "{20060102}-{00}": ("{y}{m:02}{d:02}-{n:02}", "day", CALENDAR),
    "{+2006}{01}{02}-{00}": ("{e}{m:02}{d:02}-{n:02}", "day", [(1, 1)] + FISCAL),
    "{2006}.{002}.{0+}": ("{y}.{yd:03}.{n}", "day", CALENDAR),
}
DATES = ["2024-02-29", "2026-01-01", "2026-03-31", "2026-04-01", "2026-04-05", "2026-04-06", "2026-12-31", "2027-02-27", "2027-02-28"]
ZONES = [  # an instant, and the zone of a numbering
    ("2026-03-31T18:29:59Z", "Asia/Kolkata"), ("2026-03-31T18:30:00Z", "Asia/Kolkata"),
    ("2026-04-01T03:59:59Z", "America/New_York"), ("2026-04-01T04:00:00Z", "America/New_York"),
    ("2026-03-31T12:00:00Z", "Pacific/Kiritimati"), ("2026-09-06T03:59:59Z", "America/Santiago"),
    ("2026-09-06T04:00:00Z", "America/Santiago"), ("2026-12-31T23:30:00Z", "Europe/Berlin"),
]


def fields(date, start):
    """The fields of a date whose fiscal year begins on a day."""
    month, day = start or (1, 1)
    year = date.year if (date.month, date.day) >= (month, day) else date.year - 1
    end = datetime.date(year + 1, month, day) - datetime.timedelta(days=1)  # the last day
    quarters = []
    for q in range(4):
        y, m = divmod(month - 1 + 3 * q, 12)
        quarters.append(datetime.date(year + y, m + 1, day))
    quarter = max(i for i, first in enumerate(quarters) if first <= date)
    firsts = {
        "year": datetime.date(year, month, day), "quarter": quarters[quarter],
        "month": date.replace(day=1), "day": date,
    }
    return firsts, dict(y=year, y2="%02d" % (year % 100), e=end.year, e2="%02d" % (end.year % 100), q=quarter + 1,
                        m=date.month, d=date.day, yd=date.timetuple().tm_yday)


def vector(pattern, start, date, number, **more):
    form, size, _ = PATTERNS[pattern]
    firsts, values = fields(date, start)
    return dict(pattern=pattern, start=list(start or ()), date=str(date), number=number,
                text=form.format(n=number, **values), first=str(firsts[size]), **more)


vectors = []
for pattern, (_, _, starts) in PATTERNS.items():
    for start in starts:
        for i, date in enumerate(DATES):
            vectors.append(vector(pattern, start, datetime.date.fromisoformat(date), 1 + i % 3))
for instant, zone in ZONES:
    local = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).astimezone(zoneinfo.ZoneInfo(zone))
    for pattern, start in (("{2006}-{+06}/{0000}", (4, 1)), ("{20060102}-{00}", None), ("{2006}Q{Q}-{000}", (4, 1))):
        vectors.append(vector(pattern, start, local.date(), 1, zone=zone, now=instant))
print("[\n" + ",\n".join("\t" + json.dumps(v) for v in vectors) + "\n]")
