/** The query line with its results: the matching lines, the intervals, and the test that it can become. */
import { useEffect, useRef } from 'preact/hooks';
import { aroundLine, holdingAt, type Interval } from '../model/intervals.js';
import { savedQuery } from '../model/saved-test.js';
import { numberText } from '../model/words.js';
import { askings, goToHit, hits, intervals, isAsking, askedText, QUERY_HINT, questionProblem, stopsAtHits } from './ask.js';
import { download } from './download.js';
import { offer, scenarioNow } from './reach.js';
import { More } from './more.js';
import { IconButton } from './panel.js';
import { currentLine, recording, showLine, timed } from './state.js';

const EXAMPLE = 'node:n3 type:find state:waiting';

export function AskLine() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [askings.value]);
  const { length } = hits.value;
  return (
    <form
      class="ask"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        goToHit(1);
      }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <input
        ref={input}
        type="search"
        aria-label="ask for lines of the trace"
        aria-describedby="ask-help"
        placeholder={EXAMPLE}
        value={askedText.value}
        onInput={(event) => (askedText.value = event.currentTarget.value)}
      />
      <output aria-label="lines that answer">{count(length, 'line')}</output>
      <IconButton
        label="to the line before that answers"
        shortcut="Shift n"
        icon="m16 5-8 7 8 7"
        disabled={length === 0}
        onPress={() => goToHit(-1)}
      />
      <IconButton
        label="to the next line that answers"
        shortcut="n"
        icon="m8 5 8 7-8 7"
        disabled={length === 0}
        onPress={() => goToHit(1)}
      />
      <label class="small">
        <input
          type="checkbox"
          checked={stopsAtHits.value}
          onChange={(event) => (stopsAtHits.value = event.currentTarget.checked)}
        />{' '}
        {intervals.value ? 'stop where it begins' : 'stop there'}
      </label>
      {offer.value && askedText.value.trim() !== '' && questionProblem.value === null && (
        <button
          type="button"
          class="small"
          title="a test that fails when anything answers"
          onClick={() => download('asked.test.ts', [savedQuery(scenarioNow.value, askedText.value.trim(), offer.value?.module)])}
        >
          save as test
        </button>
      )}
      <p
        id="ask-help"
        class={questionProblem.value === null ? 'hint' : 'problem'}
        role={questionProblem.value === null ? undefined : 'alert'}
      >
        {questionProblem.value ?? QUERY_HINT}
      </p>
      {intervals.value && intervals.value.length > 0 && <Held all={intervals.value} />}
    </form>
  );
}

const count = (number: number, thing: string): string => `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

/** The most intervals that are readable at once. */
const INTERVALS_SHOWN = 60;
const NODES_SHOWN = 6;

/** From when to when it held, for each node: both ends are places to go to. */
function Held({ all }: { all: readonly Interval[] }) {
  const { names } = recording.value.nodes;
  const now = holdingAt(all, currentLine.value);
  const nodes = now.map(({ node }) => names[node]!);
  const shown = aroundLine(all, currentLine.value, INTERVALS_SHOWN);
  return (
    <div class="held">
      <output aria-label="holds now">
        {count(all.length, 'interval')}
        {shown.length < all.length && `, ${shown.length} of them here`}; now{' '}
        {now.length > 0 ? `it holds for ${nodes.slice(0, NODES_SHOWN).join(', ')} ` : 'it holds for no node'}
        <More names={nodes.slice(NODES_SHOWN)} />
      </output>
      <ol class="intervals" tabIndex={0} aria-label="from when to when it held">
        {shown.map((interval) => (
          <IntervalItem key={`${interval.node} ${interval.from}`} interval={interval} isNow={now.includes(interval)} />
        ))}
      </ol>
    </div>
  );
}

function IntervalItem({ interval: { node, from, to }, isNow }: { interval: Interval; isNow: boolean }) {
  const place = (line: number) => (timed.value ? numberText(recording.value.at(line)) : `line ${line + 1}`);
  return (
    <li class={isNow ? 'is-now' : ''} aria-current={isNow ? 'true' : undefined}>
      <button type="button" class="link" onClick={() => showLine(from)}>
        {recording.value.nodes.names[node]} from {place(from)}
      </button>{' '}
      {to === null ? (
        'until the end'
      ) : (
        <button type="button" class="link" onClick={() => showLine(to)}>
          to {place(to)}
        </button>
      )}
    </li>
  );
}

function close(): void {
  askedText.value = '';
  isAsking.value = false;
}
