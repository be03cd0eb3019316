/** The trace in sentences around the playhead, and what was violated. */
import { lastAtMost } from '../model/columns.js';
import { sentence, numberText } from '../model/words.js';
import { hits } from './ask.js';
import { More } from './more.js';
import { scrollWithin } from './sight.js';
import { currentLine, growing, recording, selectedNode, show, step, timed, verdict } from './state.js';

const LINES_AROUND = 60;

export function Log() {
  const { first, end } = growing();
  const from = Math.max(first, currentLine.value - LINES_AROUND);
  const to = Math.min(end, currentLine.value + LINES_AROUND + 1);
  const lines = Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
  return (
    <ol class="log" tabIndex={0} aria-label="lines of the trace" onKeyDown={walk}>
      {lines.map((line) => (
        <LogLine key={line} line={line} />
      ))}
      {lines.length === 0 && <li class="empty">nothing has happened yet</li>}
    </ol>
  );
}

function LogLine({ line }: { line: number }) {
  const isNow = line === currentLine.value;
  const kind = recording.value.kindOf(line);
  return (
    <li
      class={`${isNow ? 'is-now' : ''} ${line > currentLine.value ? 'is-future' : ''} kind-${kind}${isHit(line) ? ' is-hit' : ''}`}
      aria-current={isNow ? 'step' : undefined}
      ref={isNow ? scrollWithin : null}
    >
      <button type="button" onClick={() => show(line)}>
        <span class="at">{numberText(recording.value.at(line))}</span>
        <span>{sentence(recording.value.line(line))}</span>
      </button>
    </li>
  );
}

/** The arrow keys go from line to line. */
function walk(event: KeyboardEvent): void {
  const direction = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null;
  if (direction === null) return;
  event.preventDefault();
  step('line', direction);
}

const isHit = (line: number): boolean => hits.value[lastAtMost(hits.value, line)] === line;

const HOLDS = { true: 'holds', false: 'violated', null: 'not told' } as const;

/** The properties of the protocol and what came of each, the violated ones first; a violation is a place to go to. */
export function Properties() {
  const { findings, endless } = verdict.value;
  return (
    <ul class="properties" tabIndex={0} aria-label="properties">
      {findings.map(({ property, kind, description, holds, line, nodes }) => (
        <li key={property} class={holds === false ? 'is-violated' : ''} data-holds={String(holds)}>
          <b>{property}</b> {kind !== null && <span class="kind">{kind}</span>}{' '}
          {line === null ? (
            <span class="holds">{HOLDS[`${holds}`]}</span>
          ) : (
            <button type="button" class="link" onClick={() => show(line)}>
              violated at {timed.value ? numberText(recording.value.at(line)) : `line ${line + 1}`}
            </button>
          )}
          {nodes.length > 0 && <NodeList names={nodes} />}
          {kind === 'eventually' && holds === false && endless && <Endless {...endless} />}
          <p>{description}</p>
        </li>
      ))}
      {findings.length === 0 && <li class="empty">This trace lists no properties.</li>}
    </ul>
  );
}

/** More than these nobody reads at once. */
const NODES_SHOWN = 12;

/** The nodes that a property is violated for. */
export const NodeList = ({ names }: { names: readonly string[] }) => (
  <span>
    for{' '}
    {names.slice(0, NODES_SHOWN).map((name, i) => (
      <>
        {i > 0 && ' and '}
        <button type="button" class="link" onClick={() => (selectedNode.value = recording.value.nodes.find(name))}>
          {name}
        </button>
      </>
    ))}
    {names.length > NODES_SHOWN && ' '}
    <More names={names.slice(NODES_SHOWN)} />
  </span>
);

/** Where an endless run begins to go round, or rests. */
export const Endless = ({ from, rests }: { from: number; rests: boolean }) => (
  <span>
    {rests ? 'It rests for ever from ' : 'It goes round for ever from '}
    <button type="button" class="link" onClick={() => show(from)}>
      line {from + 1}
    </button>
    {rests ? ': nothing more can happen.' : '.'}
  </span>
);
