import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { keyOf, type Row } from "./data";
import { type Filter, filtered, NO_FILTER } from "./filter";
import { Header, Problems } from "./header";
import { TurnList } from "./list";
import type { Source } from "./source";
import { TurnView } from "./turn";

/** Turns that are printed whole; of more than these the chosen one is printed. */
const MAX_PRINTED = 50;

export function App({ source }: { source: Source }) {
  const [rows, setRows] = useState<Row[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [chosen, setChosen] = useState(() => location.hash.slice(1));
  const isPrinting = usePrinting();

  useEffect(() => {
    source.subscribe((next, problem) => {
      setRows(next);
      setError(problem);
    });
    const follow = () => {
      setChosen(location.hash.slice(1));
      // Where the turn stands below the list, choosing it goes to it.
      if (isNarrow()) requestAnimationFrame(() => document.getElementById("turn")?.scrollIntoView());
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [source]);

  const all = rows ?? NONE;
  const shown = useMemo(() => filtered(all, filter), [all, filter]);
  const inside = useMemo(() => Map.groupBy(all, (row) => `${row.trace_id}/${row.ran_in ?? row.nested_in}`), [all]);
  // With one turn there is nothing to choose from. On a narrow window the list comes first.
  const alone = all.length === 1 && !source.head.live;
  const row = all.find((one) => keyOf(one) === chosen) ?? (alone || !isNarrow() ? shown[0] : undefined);
  const choose = useCallback((key: string) => {
    location.hash = key;
  }, []);

  if (rows === null) return <p class="waiting">Waiting for the server …</p>;
  const printed = shown.length <= MAX_PRINTED ? shown : row === undefined ? [] : [row];
  return (
    <div class={`page${alone ? " alone" : ""}${row === undefined ? "" : " has-turn"}`}>
      <Header rows={all} head={source.head} />
      <Problems problems={source.head.problems} error={error} />
      {alone ? null : (
        <TurnList
          rows={all}
          shown={shown}
          filter={filter}
          onFilter={setFilter}
          chosen={row && keyOf(row)}
          live={source.head.live}
        />
      )}
      <main id="turn" tabIndex={-1}>
        {isPrinting ? (
          printed.map((one) => (
            <TurnView key={keyOf(one)} row={one} source={source} inside={inside} whole choose={choose} />
          ))
        ) : row === undefined ? (
          <Nothing count={all.length} live={source.head.live} />
        ) : (
          <TurnView key={keyOf(row)} row={row} source={source} inside={inside} choose={choose} />
        )}
      </main>
    </div>
  );
}

const NONE: Row[] = [];

const isNarrow = (): boolean => matchMedia("(max-width: 55rem)").matches;

function Nothing({ count, live }: { count: number; live: boolean }) {
  if (count > 0) return <p class="waiting">No turn is chosen.</p>;
  if (!live) return <p class="waiting">There is no agent turn in this record.</p>;
  return (
    <div class="waiting">
      <p>Waiting for spans. Send them here by setting, for the agent:</p>
      <pre>
        OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf{"\n"}OTEL_EXPORTER_OTLP_ENDPOINT={location.origin}
      </pre>
    </div>
  );
}

function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const print = matchMedia("print");
    const change = () => setPrinting(print.matches);
    const before = () => setPrinting(true);
    const after = () => setPrinting(false);
    print.addEventListener("change", change);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      print.removeEventListener("change", change);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
  return isPrinting;
}
