/** A role's chart in words: where it is, how it came there, and what it would answer from here. */
import type { Chart, ChartTransition } from '../../model/chart.js';
import { transitionCount, type Covered } from '../../model/coverage.js';
import type { RoleNow } from '../../model/moment.js';
import { activePaths, valueText } from '../../model/values.js';

interface ChartTextProps {
  readonly now: RoleNow;
  readonly chart: Chart | undefined;
  readonly taken: readonly ChartTransition[];
  readonly covered: Covered | null;
}

export function ChartText({ now: { role, view, since }, chart, taken, covered }: ChartTextProps) {
  const active = activePaths(view.value);
  const answers = (chart?.transitions ?? []).filter(({ source }) => source === '' || active.has(source));
  return (
    <article>
      <h3>
        {role}: {valueText(view.value)}
      </h3>
      <p>
        In this state since line {since + 1}
        {taken.length > 0 && <>, by {taken.map(transitionText).join(' or ')}</>}.
      </p>
      <p>From here it answers:</p>
      <ul>
        {answers.map((transition, i) => (
          <li key={i}>
            {transitionText(transition)}
            {covered && `, covered ${transitionCount(covered, transition)} times`}
          </li>
        ))}
        {answers.length === 0 && <li>nothing</li>}
      </ul>
    </article>
  );
}

export function transitionText({ event, guard, targets, actions }: ChartTransition): string {
  const when = guard === null ? '' : ` if ${guard}`;
  const to = targets.length > 0 ? ` → ${targets.join(', ')}` : '';
  const doing = actions.length > 0 ? `: ${actions.join(', ')}` : '';
  return `${event === '' ? 'at once' : event}${when}${to}${doing}`;
}
