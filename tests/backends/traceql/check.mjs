// Prints each line of the input that Grafana's grammar of TraceQL cannot read, and ends with 1 if there is one.
import { readFileSync } from "node:fs";
import { parser } from "@grafana/lezer-traceql";

const isWrong = (search) => {
  const cursor = parser.parse(search).cursor();
  do {
    if (cursor.type.isError) return true;
  } while (cursor.next());
  return false;
};

const wrong = readFileSync(0, "utf8").split("\n").filter((line) => line && isWrong(line));
for (const line of wrong) console.log(line);
process.exitCode = wrong.length ? 1 : 0;
