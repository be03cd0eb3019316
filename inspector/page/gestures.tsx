/** What was done by hand: each taken back at a click, all of it saved as a scenario or as a test. */
import { download } from './download.js';
import { gestures, gestureText, scenarioNow, takeBack } from './hands.js';
import { reload } from './load.js';
import { numberText } from '../model/words.js';
import { pauseAt, recording } from './state.js';

export function Gestures() {
  return (
    <div class="gestures">
      <ol class="log" aria-label="what was done by hand">
        {[...gestures.value]
          .sort((a, b) => a.at - b.at)
          .map((gesture) => (
            <li key={JSON.stringify(gesture)}>
              <button type="button" onClick={() => pauseAt(recording.value.lastLineAt(gesture.at))}>
                <span class="at">{numberText(gesture.at)}</span>
                <span>{gestureText(gesture)}</span>
              </button>
              <button type="button" class="small" onClick={() => void takeBack(gesture, reload)}>
                take back
              </button>
            </li>
          ))}
        {gestures.value.length === 0 && <li class="empty">Nothing yet. Press g to reach in.</li>}
      </ol>
      <p class="row">
        <button type="button" class="small" onClick={() => download('scenario.json', [scenarioText()])}>
          save as scenario
        </button>
        <button type="button" class="small" onClick={() => download('by-hand.test.ts', [testText()])}>
          save as test
        </button>
      </p>
    </div>
  );
}

const scenarioText = (): string => `${JSON.stringify(scenarioNow.value, null, 2)}\n`;

/** The run as a test of the verdict that it has now. */
function testText(): string {
  const violated = recording.value.violations.length > 0;
  return `import { expect, test } from 'vitest';
import { simulate } from 'xstate-quiver';

test('what was done by hand', () => {
  const { verdict, properties } = simulate(${JSON.stringify(scenarioNow.value, null, 2).replaceAll('\n', '\n  ')});
  const failed = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  expect(failed)${violated ? '.not' : ''}.toEqual([]);
  expect(verdict)${violated ? ".toBe('invalid')" : ".not.toBe('invalid')"};
});
`;
}
