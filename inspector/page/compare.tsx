/** This run and another branch side by side, at the same moment, and where they part. */
import { effect, signal } from '@preact/signals';
import { firstDifference } from '../model/difference.js';
import type { ReadTrace } from '../model/recording.js';
import { numberText, sentence } from '../model/words.js';
import { branches, current } from './branches.js';
import { fetchRun } from './hands.js';
import { scrollWithin } from './sight.js';
import { currentLine, growing, isLoading, pauseAt, recording } from './state.js';

/** The branch that this one is held against; where it forked from, unless one is chosen. */
const chosen = signal<number | null>(null);
const other = (): number => {
  const { from } = branches.value[current.value]!;
  const wanted = chosen.value ?? from ?? 1;
  return wanted === current.value || wanted >= branches.value.length ? (current.value === 0 ? 1 : 0) : wanted;
};
const otherRun = signal<ReadTrace | null>(null);

effect(() => {
  if (branches.value.length < 2) return void (otherRun.value = null);
  void fetchRun(branches.value[other()]!.gestures).then((run) => (otherRun.value = run));
});

const LINES_AROUND = 30;

export function Compare() {
  const run = otherRun.value;
  const parts = run && !isLoading.value ? firstDifference(growing(), run) : null;
  const now = currentLine.value;
  const at = now < recording.value.first ? -Infinity : recording.value.at(now);
  return (
    <div class="compare">
      <p class="row">
        <b>{branches.value[current.value]!.name}</b> and{' '}
        <select
          aria-label="the other branch"
          value={other()}
          onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
        >
          {[...branches.value.entries()]
            .filter(([place]) => place !== current.value)
            .map(([place, { name }]) => (
              <option key={place} value={place}>
                {name}
              </option>
            ))}
        </select>
        {parts === null ? (
          <span class="hint">{run ? 'are the same, line by line' : ''}</span>
        ) : (
          <button type="button" class="small" onClick={() => pauseAt(Math.min(parts, recording.value.end - 1))}>
            to the first difference, line {parts + 1}
          </button>
        )}
      </p>
      <div class="sides">
        <Side name={branches.value[current.value]!.name} run={growing()} now={now} parts={parts} />
        {run && <Side name={branches.value[other()]!.name} run={run} now={run.lastLineAt(at)} parts={parts} />}
      </div>
    </div>
  );
}

/** The lines of one run around the moment. */
function Side({ name, run, now, parts }: { name: string; run: ReadTrace; now: number; parts: number | null }) {
  const from = Math.max(run.first, now - LINES_AROUND);
  const to = Math.min(run.end, now + LINES_AROUND + 1);
  return (
    <ol class="log" tabIndex={0} aria-label={`lines of ${name}`}>
      {Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i).map((line) => (
        <li
          key={line}
          class={`${line === now ? 'is-now' : ''}${line > now ? ' is-future' : ''}${parts !== null && line >= parts ? ' differs' : ''}`}
          aria-current={line === now ? 'step' : undefined}
          ref={line === now ? scrollWithin : null}
        >
          <span class="at">{numberText(run.at(line))}</span> <span>{sentence(run.line(line))}</span>
        </li>
      ))}
    </ol>
  );
}
