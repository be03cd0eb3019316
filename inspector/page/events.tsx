/** The trace as a table of events. A filter hides the lines that do not match it. */
import { computed } from '@preact/signals';
import { eventRow, shownLines, type ContextChange, type EventRow, type StateChange } from '../model/event-rows.js';
import { lastAtMost } from '../model/columns.js';
import { isStep } from '../../network/trace.js';
import { queryOf } from '../model/query.js';
import { refusalText } from '../model/why.js';
import { idOf, sentence } from '../model/words.js';
import { nearestWord } from '../../network/scenario/read.js';
import { charts } from './chart/charts.js';
import { askedText, hits, isAsking, QUERY_HINT, questionProblem } from './ask.js';
import { nameNextTo } from './node-names.js';
import { stateStyle } from './state-names.js';
import { currentLine, growing, pauseAt, recording, showLine, timed } from './state.js';
import { timeText } from './time-text.js';
import { VirtualList } from './virtual.js';

const ROW_HEIGHT = 26;

interface Shown {
  readonly count: number;
  lineAt(row: number): number;
  rowOf(line: number): number;
}

const isFiltered = computed(() => askedText.value.trim() !== '' && questionProblem.value === null);

const shown = computed((): Shown => {
  if (!isFiltered.value) return shownLines(growing());
  const lines = hits.value;
  return { count: lines.length, lineAt: (row) => lines[row]!, rowOf: (line) => lastAtMost(lines, line) };
});

export function Events() {
  const { count, lineAt, rowOf } = shown.value;
  const here = currentLine.value < growing().first ? -1 : rowOf(currentLine.value);
  return (
    <div
      class={`events${hasClock() ? ' has-clock' : ''}`}
      style={{ '--time': `${Math.max(placeText(growing().end - 1).length, PLACE_MIN)}ch` }}
    >
      <div class="filter">
        {!isAsking.value && (
          <input
            type="text"
            aria-label="filter the events"
            placeholder="Filter: from:app -type:GO"
            title={QUERY_HINT}
            value={askedText.value}
            onInput={({ currentTarget: { value } }) => (askedText.value = value)}
            onKeyDown={(event) => event.key === 'Escape' && (askedText.value = '')}
          />
        )}
        <output>{count === 1 ? '1 event' : `${count.toLocaleString('en-US')} events`}</output>
        {questionProblem.value !== null && !isAsking.value && (
          <p class="problem" role="alert">
            {questionProblem.value}
          </p>
        )}
      </div>
      <VirtualList
        key={isFiltered.value ? askedText.value : ''}
        class="table"
        role="table"
        aria-label="events"
        aria-rowcount={count + 1}
        tabIndex={0}
        onKeyDown={walk}
        count={count}
        rowHeight={ROW_HEIGHT}
        current={here}
        head={<Head />}
        row={(row) => <Row key={lineAt(row)} row={row} line={lineAt(row)} isNow={row === here} />}
      />
      {count === 0 && (
        <p class="empty">{isFiltered.value ? `No event answers the filter.${unknownText()}` : 'Nothing has happened yet.'}</p>
      )}
    </div>
  );
}

/** Why nothing answers, if it is a name. */
function unknownText(): string {
  const [name] = queryOf(askedText.value).unknownNodes(growing());
  if (name === undefined) return '';
  const meant = nearestWord(name, growing().nodes.names.map(idOf));
  return ` No node is called "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
}

/** The least width of the first column, in characters. */
const PLACE_MIN = 7;

const hasClock = (): boolean => growing().header?.began !== undefined;

const Head = () => (
  <div role="row" aria-rowindex={1} class="event-row is-head">
    {['Time', ...(hasClock() ? ['Clock'] : []), 'From → to', 'Event', 'Payload', 'State', 'Context'].map((name) => (
      <span role="columnheader" key={name}>
        {name}
      </span>
    ))}
  </div>
);

function Row({ row, line, isNow }: { row: number; line: number; isNow: boolean }) {
  const event = eventRow(recording.value, line);
  const kind = recording.value.kindOf(line);
  const answer = refusalText(recording.value, line, (name) => charts.value.get(name));
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-current={isNow ? 'step' : undefined}
      class={`event-row kind-${kind}${isStep(recording.value.line(line)) ? '' : ' is-network'}${isNow ? ' is-now' : ''}${line > currentLine.value ? ' is-future' : ''}${event.isWrong ? ' is-wrong' : ''}${answer === null ? '' : ' is-unanswered'}`}
      onClick={() => showLine(line)}
    >
      <span role="cell" class="at">
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${placeText(line)} ${sentence(recording.value.line(line))}`}
          title={[`line ${line + 1}`, ...(hasClock() ? [placeText(line), clockText(line)] : [])].join(', ')}
        >
          {placeText(line)}
        </button>
      </span>
      {hasClock() && (
        <span role="cell" class="clock">
          {clockText(line)}
        </span>
      )}
      <span role="cell" class="route" title={`${event.from} → ${event.to}`}>
        {event.from !== '' && <bdi>{nameNextTo(event.from, event.to)}</bdi>}{' '}
        {event.to !== '' && <>→ {nameNextTo(event.to, event.from)}</>}
      </span>
      <Cells event={event} answer={answer} />
    </div>
  );
}

function Cells({ event: { type, payload, states, context }, answer }: { event: EventRow; answer: string | null }) {
  return (
    <>
      <span role="cell" class="type" title={type}>
        {type}
      </span>
      <span role="cell" class="json" title={payload}>
        {payload !== '' && <code>{payload}</code>}
      </span>
      <span role="cell" class="states">
        {states.map((change) => (
          <State key={change.role} {...change} />
        ))}
        {answer}
      </span>
      <span role="cell" class="json" title={context.map(contextText).join('\n')}>
        {context.length > 0 && <code>{context.map(contextText).join(', ')}</code>}
      </span>
    </>
  );
}

const contextText = ({ key, before, after }: ContextChange): string => `${key}: ${before ?? 'none'} → ${after ?? 'none'}`;

/** Each begins a new line. */
const State = ({ chart, before, after }: StateChange) => (
  <span class="change">
    {before !== null && <>{before} → </>}
    <b class="chip" style={{ '--state': stateStyle(chart, after) }}>
      {after ?? 'closed'}
    </b>
  </span>
);

/** A counterexample has no times, but lines. */
const placeText = (line: number): string =>
  line >= growing().first && timed.value ? timeText(recording.value.at(line)) : String(line + 1);

function clockText(line: number): string {
  const clock = new Date(recording.value.header!.began! + recording.value.at(line));
  return `${clock.toLocaleTimeString('en-GB')}.${String(clock.getMilliseconds()).padStart(3, '0')}`;
}

/** The arrow keys go from row to row. */
function walk(event: KeyboardEvent): void {
  const { count, lineAt, rowOf } = shown.value;
  const here = rowOf(currentLine.value);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + 10, PageUp: here - 10 }[event.key];
  if (to === undefined || count === 0) return;
  event.preventDefault();
  event.stopPropagation();
  pauseAt(lineAt(Math.min(Math.max(to, 0), count - 1)));
}
