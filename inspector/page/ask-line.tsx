/** The line in which one asks, with what came of it. */
import { useEffect, useRef } from 'preact/hooks';
import { ASKED } from '../model/query.js';
import { goToHit, hits, isAsking, askedText, questionProblem, stopsAtHits } from './ask.js';
import { IconButton } from './panel.js';

const EXAMPLE = 'node:n3 type:find state:waiting ctx.parent=n5 violated';

export function AskLine() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { length } = hits.value;
  return (
    <form
      class="ask"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        goToHit(1);
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label="ask for lines of the trace"
        aria-describedby="ask-help"
        placeholder={EXAMPLE}
        value={askedText.value}
        onInput={(event) => (askedText.value = event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && close()}
      />
      <output aria-label="lines that answer">{length === 1 ? '1 line' : `${length.toLocaleString('en-US')} lines`}</output>
      <IconButton
        label="to the line before that answers"
        icon="m16 5-8 7 8 7"
        disabled={length === 0}
        onPress={() => goToHit(-1)}
      />
      <IconButton label="to the next line that answers" icon="m8 5 8 7-8 7" disabled={length === 0} onPress={() => goToHit(1)} />
      <label class="small">
        <input
          type="checkbox"
          checked={stopsAtHits.value}
          onChange={(event) => (stopsAtHits.value = event.currentTarget.checked)}
        />{' '}
        stop there
      </label>
      <p
        id="ask-help"
        class={questionProblem.value === null ? 'hint' : 'problem'}
        role={questionProblem.value === null ? undefined : 'alert'}
      >
        {questionProblem.value ?? `${Object.keys(ASKED).join(', ')}, ctx.KEY, words; a minus negates`}
      </p>
    </form>
  );
}

function close(): void {
  askedText.value = '';
  isAsking.value = false;
}
