import type { Detail, Script } from "./data";
import { EvidenceList, type Light } from "./findings";
import { Facts, More, Said, Section } from "./parts";
import { DECLARED_BY, EXIT_CODE_FROM, many, plain } from "./words";

/** Every program that was submitted: how it ended, and where that was read. */
export function Programs({ detail, lit, onLight, spans }: { detail: Detail } & Light) {
  if (detail.scripts.length === 0 && detail.scripts_dropped === 0) return null;
  return (
    <Section title="Programs" note={many(detail.scripts.length + detail.scripts_dropped, "program")}>
      <div class="scroll">
        <table class="programs">
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Tool</th>
              <th scope="col">Outcome</th>
              <th scope="col">Exit code</th>
              <th scope="col">Exit code read from</th>
              <th scope="col">Size</th>
              <th scope="col">
                <span class="unseen">Evidence</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {detail.scripts.map((script) => {
              const key = `script-${script.dispatch}`;
              const isLit = lit?.key === key;
              return (
                <>
                  <tr key={key} class={`${script.outcome}${isLit ? " lit" : ""}`}>
                    <td>{script.dispatch}</td>
                    <td>
                      <Said>{script.tool}</Said>
                    </td>
                    <td class="outcome">{plain(script.outcome)}</td>
                    <td class="code">{script.exit_code ?? "none"}</td>
                    <td class={`from${script.exit_code_from === null ? " none" : ""}`}>
                      {script.exit_code_from === null ? "–" : readFrom(script.exit_code_from)}
                    </td>
                    <td>{size(script)}</td>
                    <td>
                      <button
                        type="button"
                        class="plain"
                        aria-expanded={isLit}
                        onClick={() => onLight(isLit ? null : { key, evidence: script.evidence })}
                      >
                        evidence<span class="unseen"> of program {script.dispatch}</span>
                      </button>
                    </td>
                  </tr>
                  {script.text === null ? null : (
                    <tr key={`${key}-text`} class="text">
                      <td colSpan={7}>
                        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
                        <pre tabIndex={0}>{script.text}</pre>
                      </td>
                    </tr>
                  )}
                  {isLit ? (
                    <tr key={`${key}-evidence`} class="lit">
                      <td colSpan={7}>
                        <EvidenceList evidence={script.evidence} spans={spans} />
                      </td>
                    </tr>
                  ) : null}
                </>
              );
            })}
          </tbody>
        </table>
      </div>
      <More count={detail.scripts_dropped} noun="programs" />
    </Section>
  );
}

const readFrom = (where: string): string => EXIT_CODE_FROM[where] ?? where;

const size = (script: Script): string =>
  script.bytes === null || script.lines === null
    ? plain(script.program)
    : `${many(script.bytes, "byte")}, ${many(script.lines, "line")}`;

export function ProgramFacts({ script }: { script: Script }) {
  return (
    <Facts
      of={[
        ["program", plain(script.outcome)],
        ["exit code", script.exit_code === null ? "none recorded" : String(script.exit_code)],
        ["exit code read from", script.exit_code_from && readFrom(script.exit_code_from)],
        ["exit code of", script.exit_code_of],
        ["the exit code means", script.exit_means],
        ["language", script.language],
        ["size", size(script)],
        ["argument", script.argument && <code>{script.argument}</code>],
        ["said to run code by", DECLARED_BY[script.declared_by] ?? script.declared_by],
        ["shown in the answer", script.shown && (script.shown === "matched" ? "yes, unchanged" : "no")],
        ["rewritten before it ran", script.rewritten ? "yes" : null],
        ["result withheld", script.result_withheld && plain(script.result_withheld)],
        ["the service itself failed", script.service_error ? "yes" : null],
        ["SHA-256", script.sha256 && <code>{script.sha256}</code>],
      ]}
    />
  );
}
