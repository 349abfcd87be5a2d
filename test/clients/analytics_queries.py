"""Runs queries in ClickHouse over data points as Workers Analytics Engine keeps them; all of it is JSON, in and out."""

import json
import sys

import chdb

COLUMNS = [
    "dataset String",
    "timestamp DateTime('UTC')",
    "_sample_interval UInt32",
    "index1 String",
    *(f"blob{number} String" for number in range(1, 21)),
    *(f"double{number} Float64" for number in range(1, 21)),
]


def main(given):
    connection = chdb.connect(":memory:")
    connection.query(f"CREATE TABLE forgefront ({', '.join(COLUMNS)}) ENGINE = Memory")
    rows = "\n".join(json.dumps(row) for row in given["rows"])
    connection.query(f"INSERT INTO forgefront FORMAT JSONEachRow {rows}")
    answers = [json.loads(connection.query(query, "JSON").bytes())["data"] for query in given["queries"]]
    connection.close()
    json.dump(answers, sys.stdout)


main(json.load(sys.stdin))
