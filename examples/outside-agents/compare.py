"""What each report of a scenario says of those who were missing: `python compare.py FOLDER`."""

import json
import sys
from pathlib import Path

for folder in sorted(Path(sys.argv[1]).iterdir(), key=lambda each: each.stat().st_mtime):
    reports = sorted(folder.glob("*.json"))
    print(f"\n{folder.name}")
    if not reports:
        print("  no report: the run ended by name")
    for file in reports:
        report = json.loads(file.read_text(encoding="utf-8"))
        print(f"  {file}\n  confidence {report['confidence']['value']:.2f}")
        for step in report["confidence"]["ledger"]:
            print(f"    {step['before']:.2f} -> {step['after']:.2f}  {step['reason']}")
        for section in report["sections"]:
            weakened = [s["reason"] for s in section["confidence"]["ledger"] if s["amount"] == 0.9]
            print(f"  {section['title']}: {len(section['claims'])} claims {'; '.join(weakened)}")
        for failed in report["failures"]:
            print(f"  {failed['task_description']}: {failed['failure']['message']}")
