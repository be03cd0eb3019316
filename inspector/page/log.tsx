/** The trace in sentences around the playhead, and what was violated. */
import { sentence, numberText } from '../model/words.js';
import { currentLine, growing, recording, show } from './state.js';

const LINES_AROUND = 60;

export function Log() {
  const { first, end } = growing();
  const from = Math.max(first, currentLine.value - LINES_AROUND);
  const to = Math.min(end, currentLine.value + LINES_AROUND + 1);
  const lines = Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
  return (
    <ol class="log" tabIndex={0} aria-label="lines of the trace">
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
      class={`${isNow ? 'is-now' : ''} ${line > currentLine.value ? 'is-future' : ''} kind-${kind}`}
      aria-current={isNow ? 'step' : undefined}
      ref={isNow ? scrollIntoView : null}
    >
      <button type="button" onClick={() => show(line)}>
        <span class="at">{numberText(recording.value.at(line))}</span>
        <span>{sentence(recording.value.line(line))}</span>
      </button>
    </li>
  );
}

const scrollIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

export function Violations() {
  const { violations } = growing();
  return (
    <ol class="log" tabIndex={0} aria-label="violated properties">
      {violations.slice(0, 1000).map((line) => (
        <LogLine key={line} line={line} />
      ))}
      {violations.length === 0 && <li class="empty">No property was violated in what has been read.</li>}
    </ol>
  );
}
