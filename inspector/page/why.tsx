/** The "why" tab: the chain of causes of a step or a value, newest first. A click on a cause moves the playhead to its line. */
import { changeAt, historyOf } from '../model/history.js';
import { numberText } from '../model/words.js';
import { isIgnored, refusalsAt, takenAt, waitCycle, type TakenBy, type WaitEdge } from '../model/why.js';
import type { Passed } from '../model/passed.js';
import { asked, askWhy, causes, type AskedValue } from './asked-why.js';
import { charts } from './chart/charts.js';
import { transitionText } from './chart/text.js';
import { currentLine, growing, pauseAt, recording, showLine, timed, verdict } from './state.js';

export function Why() {
  const { about, line } = asked.value ?? { about: '', line: currentLine.value };
  if (causes.value.length === 0) return <p class="empty">Nothing has happened yet.</p>;
  const refused = refusalsAt(recording.value, line, (name) => charts.value.get(name));
  const taken = takenAt(recording.value, line, (name) => charts.value.get(name));
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
      {asked.value?.value && <History {...asked.value.value} />}
      <Waits />
      <ol class="causes" aria-label="chain of causes">
        {causes.value.map(({ line, description, because }) => (
          <li key={line}>
            {because !== '' && <span class="because">because {because}</span>}
            <button type="button" aria-current={line === currentLine.value ? 'step' : undefined} onClick={() => showLine(line)}>
              <span class="at">line {line + 1}</span> {description}
            </button>
          </li>
        ))}
        <li class="outside">{outside(causes.value.at(-1)!.line)}</li>
      </ol>
      {taken.length > 0 && <Did taken={taken} />}
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

/** The transitions of a step in their order, each with its own actions in theirs, and those of the states that it left and entered. */
const Did = ({ taken }: { taken: readonly TakenBy[] }) => (
  <>
    <h3>Its transitions, in this order</h3>
    <ol class="did" aria-label="transitions of the step, in order">
      {taken.map(({ role, transition, passed }, i) => (
        <li key={i}>
          <b>{role}</b> {transition.source}: {transitionText(transition)}
          {passed && <PassedStates {...passed} />}
        </li>
      ))}
    </ol>
    {taken.some(({ passed }) => passed === null) && (
      <p class="hint">The trace does not record all states in between, so the other entry and exit actions are not known.</p>
    )}
  </>
);

/** The actions of exit and entry, in the order of the states. */
function PassedStates({ left, entered, ended }: Passed) {
  const lines = [
    ...left.map(({ path, exit }) => ({ what: 'left', path, actions: exit })),
    ...entered.map(({ path, entry }) => ({ what: 'entered', path, actions: entry })),
    ...ended.map(({ path, exit }) => ({ what: 'ended', path, actions: exit })),
  ].filter(({ actions }) => actions.length > 0);
  if (lines.length === 0) return null;
  return (
    <ul class="passed">
      {lines.map(({ what, path, actions }) => (
        <li key={`${what} ${path}`}>
          {what} {path === '' ? 'the whole chart' : path}: {actions.join(', ')}
        </li>
      ))}
    </ul>
  );
}

/** The most changes that are readable at once. */
const CHANGES_SHOWN = 40;
const VALUE_CHARACTERS_MAX = 80;

/** The history of the value: a click on a change goes to its line. */
function History({ node, role, key }: AskedValue) {
  const line = currentLine.value;
  const history = historyOf(growing(), node, role, key, line);
  const now = changeAt(history, line);
  const first = Math.min(Math.max(now - CHANGES_SHOWN / 2, 0), Math.max(history.changes.length - CHANGES_SHOWN, 0));
  const shown = history.changes.slice(first, first + CHANGES_SHOWN);
  const isCut = history.before || history.after || shown.length < history.changes.length;
  return (
    <section class="history" aria-label={`values of ${key} over time`}>
      <ol>
        {shown.map((change, i) => (
          <li key={change.line} aria-current={first + i === now ? 'true' : undefined}>
            <button type="button" class="link" onClick={() => pauseAt(change.line)}>
              <span class="at">{timed.value ? numberText(recording.value.at(change.line)) : `line ${change.line + 1}`}</span>{' '}
              <code>{textOf(change.value)}</code>
            </button>
          </li>
        ))}
      </ol>
      {isCut && <p class="hint">There are more changes before or after these.</p>}
    </section>
  );
}

function textOf(json: string | null): string {
  if (json === null) return 'not there';
  const text: string = json.startsWith('"') ? JSON.parse(json) : json;
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}

/** Where the chain ends. */
function outside(line: number): string {
  const kind = recording.value.kindOf(line);
  if (kind === 'timer') return 'A delay ended. The trace does not record its start.';
  if (kind === 'command') return 'That was asked for from outside.';
  if (kind === 'start') return 'That is how it began.';
  if (['corrupt', 'crash', 'restart', 'reload', 'channel', 'link'].includes(kind)) return 'That was done to the network.';
  return 'The trace does not record the cause.';
}

/** The nodes that wait for each other after a broken promise. */
function Waits() {
  const broken = verdict.value.violated.find(({ line, nodes }) => line !== null && nodes.length > 0);
  if (!broken || broken.line === null || currentLine.value < broken.line) return null;
  const nodes = broken.nodes.map((name) => recording.value.nodes.find(name));
  const cycle = waitCycle(recording.value, broken.line, nodes);
  if (cycle.length === 0) return null;
  return (
    <section class="waits" aria-label="who waits for whom">
      <h3>Each waits for the next: a deadlock</h3>
      <ul>
        {cycle.map((wait) => (
          <WaitCard key={wait.from} wait={wait} />
        ))}
      </ul>
    </section>
  );
}

const WaitCard = ({ wait: { description, since, asked } }: { wait: WaitEdge }) => (
  <li>
    <b>{description}</b>
    {since !== null && (
      <button type="button" class="link" onClick={() => askWhy('it stands so', since)}>
        since line {since + 1}
      </button>
    )}
    {asked && (
      <button type="button" class="link" onClick={() => showLine(asked.line)}>
        {asked.description}
      </button>
    )}
  </li>
);
