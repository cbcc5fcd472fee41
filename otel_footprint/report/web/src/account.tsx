import type { Account } from "./data";
import { EvidenceList, type Light } from "./findings";
import { More, Said, Section } from "./parts";
import { ACCOUNT_ROWS, many } from "./words";

/** The account of the answer in seven rows; beside each sentence that is not ours, whose claim it is. */
export function AccountTable({ account, lit, onLight, spans }: { account: Account | null } & Light) {
  if (account === null) return null;
  return (
    <Section title="Account" note="each sentence with who vouches for it">
      <dl class="account">
        {account.rows.map((row) => (
          <div key={row.id}>
            <dt>{ACCOUNT_ROWS[row.id] ?? row.id}</dt>
            <dd>
              <ul>
                {row.lines.map((line, index) => {
                  const key = `account-${row.id}-${index}`;
                  const isLit = lit?.key === key;
                  return (
                    <li key={key} class={`${line.status}${line.item ? " inner" : ""}${isLit ? " lit" : ""}`}>
                      <Said>{line.text}</Said>{" "}
                      {line.status === "recorded" && line.source !== "library" ? (
                        <span class="voucher">
                          says <Said>{line.source}</Said>
                        </span>
                      ) : null}{" "}
                      {line.evidence.length > 0 ? (
                        <button
                          type="button"
                          class="plain"
                          aria-expanded={isLit}
                          onClick={() => onLight(isLit ? null : { key, evidence: line.evidence })}
                        >
                          evidence<span class="unseen"> of: {line.text}</span>
                        </button>
                      ) : null}
                      {isLit ? <EvidenceList evidence={line.evidence} spans={spans} /> : null}
                    </li>
                  );
                })}
              </ul>
              <More count={row.omitted} noun={row.omitted === 1 ? "line" : "lines"} />
            </dd>
          </div>
        ))}
      </dl>
      {account.unread > 0 ? <p class="note">{many(account.unread, "recorded value")} could not be read.</p> : null}
    </Section>
  );
}
