"""The tables: a record a run, a record a ruling, and whose claims each of those was about."""

from sqlalchemy import Column, ForeignKeyConstraint, Integer, MetaData, String, Table, Text

METADATA = MetaData()

# Records are kept as the JSON of their contract, which checks them on reading: what a later version
# adds to one needs no other table. Columns are what is looked for.
RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", String, primary_key=True),
    Column("record", Text, nullable=False),
)

# A person may rule while the run goes on, and it is remembered at its end, so this refers to no
# other table.
RULINGS = Table(
    "rulings",
    METADATA,
    Column("run_id", String, primary_key=True),
    Column("contradiction_id", String, primary_key=True),
    # What changes or withdraws a ruling is one more: nothing that people ruled is ever lost.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("record", Text, nullable=False),
)

# Who stated a value of a contradiction that was ruled on.
CLAIMANTS = Table(
    "ruled_claimants",
    METADATA,
    Column("source", String, primary_key=True),
    Column("run_id", String, primary_key=True),
    Column("contradiction_id", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    ForeignKeyConstraint(
        ["run_id", "contradiction_id", "number"],
        ["rulings.run_id", "rulings.contradiction_id", "rulings.number"],
    ),
)

VERSION = 1
"""Of these tables. Whoever changes them counts on, and brings the older ones up to date in
`engine.upgrade`."""

SCHEMA = Table("caveat_schema", METADATA, Column("version", Integer, nullable=False))
