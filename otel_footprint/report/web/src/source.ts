// Where the turns come from: the page's own blocks, or the server that sent the page.

import { type Detail, type Head, keyOf, type Row } from "./data";

export interface Source {
  readonly head: Head;
  /** Tells of the rows whenever they change, the first time at once. */
  subscribe(tell: (rows: Row[], error: string | null) => void): void;
  /** A turn's rest, at once where the page holds it. */
  detail(row: Row): Detail | Promise<Detail>;
}

const POLL_MS = 1_000;

const block = (id: string): string => document.getElementById(id)?.textContent ?? "null";

class Embedded implements Source {
  private readonly rows: Row[] = JSON.parse(block("rows"));
  private readonly blocks = document.getElementsByClassName("detail");
  private readonly index = new Map(this.rows.map((row, index) => [keyOf(row), index]));
  private readonly parsed = new Map<string, Detail>();

  constructor(readonly head: Head) {}

  subscribe(tell: (rows: Row[], error: string | null) => void): void {
    tell(this.rows, null);
  }

  detail(row: Row): Detail | Promise<Detail> {
    if (document.readyState !== "loading") return this.parse(row);
    // The turns stand behind the program: some are still being read.
    return new Promise((done) => {
      document.addEventListener("DOMContentLoaded", () => done(this.parse(row)), { once: true });
    });
  }

  private parse(row: Row): Detail {
    const key = keyOf(row);
    let found = this.parsed.get(key);
    if (found === undefined) {
      found = JSON.parse(this.blocks[this.index.get(key) ?? -1]?.textContent ?? "null") as Detail;
      this.parsed.set(key, found);
    }
    return found;
  }
}

interface LiveRow extends Row {
  /** Grows each time the turn is explained anew. */
  version: number;
}

interface Changes {
  /** Another number is another store, whose versions are others. */
  store: number;
  version: number;
  spans: number;
  rows: LiveRow[];
  removed: string[];
}

class Live implements Source {
  private readonly rows = new Map<string, LiveRow>();
  private readonly details = new Map<string, { version: number; detail: Detail }>();
  private seen = 0;
  private store = 0;

  constructor(readonly head: Head) {}

  subscribe(tell: (rows: Row[], error: string | null) => void): void {
    const poll = async () => {
      try {
        let answer = await get<Changes>(`api/turns?after=${this.seen}`);
        if (answer.store !== this.store) {
          // The first answer, or the server was started again with another store.
          this.rows.clear();
          if (this.seen > 0) answer = await get<Changes>("api/turns?after=0");
          this.store = answer.store;
        }
        this.head.spans = answer.spans;
        this.seen = answer.version;
        for (const row of answer.rows) this.rows.set(keyOf(row), row);
        for (const key of answer.removed) this.rows.delete(key);
        tell(
          [...this.rows.values()].sort((a, b) => (a.start ?? 0) - (b.start ?? 0)),
          null,
        );
      } catch {
        tell([...this.rows.values()], "The server does not answer; what is shown may be old.");
      }
      setTimeout(poll, POLL_MS);
    };
    void poll();
  }

  detail(row: Row): Detail | Promise<Detail> {
    const { version } = row as LiveRow;
    const key = keyOf(row);
    const held = this.details.get(key);
    if (held?.version === version) return held.detail;
    return get<Detail>(`api/turns/${key}`).then((detail) => {
      this.details.set(key, { version, detail });
      return detail;
    });
  }
}

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()) as T;
}

export function open(): Source {
  const head = JSON.parse(block("head")) as Head;
  return head.live ? new Live(head) : new Embedded(head);
}
