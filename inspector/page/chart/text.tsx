/** A role's chart in words: its state, the transition that led there, and the events that it can take. */
import { notesOf } from '../../model/chart-words.js';
import type { Chart, ChartState, ChartTransition } from '../../model/chart.js';
import { transitionCount, type Covered } from '../../model/coverage.js';
import type { TransitionsOfStep } from '../../model/taken.js';
import type { Heat } from '../../model/visits.js';
import type { RoleNow } from '../../model/moment.js';
import { activePaths, valueText } from '../../model/values.js';

interface ChartTextProps {
  readonly now: RoleNow;
  readonly chart: Chart | undefined;
  readonly taken: TransitionsOfStep;
  readonly covered: Covered | null;
  readonly heat: Heat | null;
}

export function ChartText({ now: { role, view, since }, chart, taken, covered, heat }: ChartTextProps) {
  const active = activePaths(view.value);
  const answers = (chart?.transitions ?? []).filter(({ source }) => source === '' || active.has(source));
  const description = [...(chart?.states.values() ?? [])].filter(({ path }) => path === '' || active.has(path)).flatMap(wordsOf);
  return (
    <article>
      <h3>
        {role}: {valueText(view.value)}
      </h3>
      <p>
        In this state since line {since + 1}
        {taken.taken.length > 0 && <>, last by {taken.taken.map(transitionText).join(', then ')}</>}
        {taken.possible.length > 0 && <>, perhaps by {taken.possible.map(transitionText).join(' or ')}</>}.
      </p>
      {taken.refused.length > 0 && <p>Guards refused {taken.refused.map(transitionText).join(' and ')}.</p>}
      {description.length > 0 && (
        <ul>
          {description.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      {heat && <p>Entered, by all nodes: {[...heat.states].map(([path, count]) => `${path} ${count} times`).join(', ')}.</p>}
      <p>From here it answers:</p>
      <ul>
        {answers.map((transition, i) => (
          <li key={i}>
            {transitionText(transition)}
            {covered && `, covered ${transitionCount(covered, transition)} times`}
            {heat && `, taken ${heat.taken(transition)} times`}
          </li>
        ))}
        {answers.length === 0 && <li>nothing</li>}
      </ul>
    </article>
  );
}

export function transitionText({ label, event, guard, targets, actions, reenter, description }: ChartTransition): string {
  const when = guard === null ? '' : ` if ${guard}`;
  const to = targets.length > 0 ? ` → ${targets.join(', ')}${reenter ? ', entered again' : ''}` : '';
  const doing = actions.length > 0 ? `: ${actions.join(', ')}` : '';
  const why = description === null ? '' : ` (${description})`;
  return `${event === '' ? 'at once' : label}${when}${to}${doing}${why}`;
}

/** The words of an active state. */
const wordsOf = (state: ChartState): string[] =>
  [...(state.description === null ? [] : [state.description]), ...notesOf(state)].map((words) => `${state.key}: ${words}`);
