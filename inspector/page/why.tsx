/** "Why?": the causes of what is asked about, as cards, newest first; each is a place to go to. */
import { signal } from '@preact/signals';
import { chainOf, isIgnored, refusalsAt, stateSince, valueSince, waitCycle, type WaitEdge } from '../model/why.js';
import { charts } from './chart/charts.js';
import { transitionText } from './chart/text.js';
import { currentLine, recording, selectedNode, show, verdict } from './state.js';

/** What is asked about: a line, with the question in words; `null` for the line at the playhead. */
const asked = signal<{ readonly about: string; readonly line: number } | null>(null);

export const askWhy = (about: string, line: number): void => void (asked.value = { about, line });

export function askWhyValue(role: string, key: string): void {
  const node = selectedNode.value;
  const line = valueSince(recording.value, node, role, key, currentLine.value);
  if (line !== null) askWhy(`${key} of ${recording.value.nodes.names[node]}`, line);
}

export function askWhyState(role: string): void {
  const node = selectedNode.value;
  const line = stateSince(recording.value, node, role, currentLine.value);
  if (line !== null) askWhy(`${recording.value.nodes.names[node]} is in its state`, line);
}

export function Why() {
  const { first, end } = recording.value;
  const { about, line } = asked.value ?? { about: '', line: currentLine.value };
  if (line < first || line >= end) return <p class="empty">Nothing has happened yet.</p>;
  const chain = chainOf(recording.value, line);
  const refused = refusalsAt(recording.value, line, (name) => charts.value.get(name));
  return (
    <div class="why">
      <p class="row">
        {about === '' ? 'Why the line at the playhead?' : `Why ${about}?`}
        {asked.value && (
          <button type="button" class="small" onClick={() => (asked.value = null)}>
            follow the playhead
          </button>
        )}
      </p>
      <Waits />
      <ol class="causes" aria-label="chain of causes">
        {chain.map(({ line, says, because }) => (
          <li key={line}>
            {because !== '' && <span class="because">because {because}</span>}
            <button type="button" aria-current={line === currentLine.value ? 'step' : undefined} onClick={() => show(line)}>
              <span class="at">line {line + 1}</span> {says}
            </button>
          </li>
        ))}
        <li class="outside">{outside(chain.at(-1)!.line)}</li>
      </ol>
      {isIgnored(recording.value, line) && refused.length === 0 && (
        <p>No chart of the node has a transition for this event in its state: nothing came of it.</p>
      )}
      {refused.length > 0 && (
        <>
          <h3>Why not otherwise?</h3>
          <ul>
            {refused.map((transition) => (
              <li key={`${transition.source}${transition.event}${transition.index}`}>
                the guard <b>{transition.guard}</b> refused: {transitionText(transition)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Where the chain ends. */
function outside(line: number): string {
  const kind = recording.value.kindOf(line);
  if (kind === 'command') return 'That was asked for from outside.';
  if (kind === 'start') return 'That is how it began.';
  if (['corrupt', 'crash', 'restart', 'reload', 'channel', 'link'].includes(kind)) return 'That was done to the network.';
  return 'The trace tells no cause of that.';
}

/** Who waits for whom, once a promise is broken. */
function Waits() {
  const broken = verdict.value.violated.find(({ line, nodes }) => line !== null && nodes.length > 0);
  if (!broken || broken.line === null || currentLine.value < broken.line) return null;
  const nodes = broken.nodes.map((name) => recording.value.nodes.find(name));
  const cycle = waitCycle(recording.value, broken.line, nodes);
  if (cycle.length === 0) return null;
  return (
    <section class="waits" aria-label="who waits for whom">
      <h3>Everybody waits for the next: a deadlock</h3>
      <ul>
        {cycle.map((wait) => (
          <WaitCard key={wait.from} wait={wait} />
        ))}
      </ul>
    </section>
  );
}

const WaitCard = ({ wait: { says, since, asked } }: { wait: WaitEdge }) => (
  <li>
    <b>{says}</b>
    {since !== null && (
      <button type="button" class="link" onClick={() => askWhy('it stands so', since)}>
        since line {since + 1}
      </button>
    )}
    {asked && (
      <button type="button" class="link" onClick={() => show(asked.line)}>
        {asked.says}
      </button>
    )}
  </li>
);
