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

/** The properties of the protocol and what came of each, the violated ones first; a violation is a place to go to. */
export function Properties() {
  const { violations, header } = growing();
  const firstOf = new Map<string, number>();
  for (const line of violations) {
    const name = propertyOf(line);
    if (!firstOf.has(name)) firstOf.set(name, line);
  }
  const listed = (header?.properties ?? []).filter(({ name }) => !firstOf.has(name));
  return (
    <ul class="properties" tabIndex={0} aria-label="properties">
      {[...firstOf].map(([name, line]) => (
        <li key={name} class="is-violated">
          <b>{name}</b>
          <button type="button" class="link" onClick={() => show(line)}>
            violated at {numberText(recording.value.at(line))}
          </button>
          <p>{header?.properties?.find((property) => property.name === name)?.says ?? sentence(recording.value.line(line))}</p>
        </li>
      ))}
      {listed.map(({ name, kind, says }) => (
        <li key={name}>
          <b>{name}</b> <span class="kind">{kind}</span>
          <p>{says}</p>
        </li>
      ))}
      {firstOf.size + listed.length === 0 && <li class="empty">This trace lists no properties.</li>}
    </ul>
  );
}

/** A violation says `property: what it means`. */
function propertyOf(line: number): string {
  const found = recording.value.line(line);
  const why = 'why' in found ? (found.why ?? '') : '';
  const property = (recording.value.header?.properties ?? []).find(({ name }) => why.startsWith(`${name}:`));
  return property?.name ?? why.split(':')[0]!;
}
