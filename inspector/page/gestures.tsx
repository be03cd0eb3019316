/** The gestures and the branches that they made. A click undoes a gesture, and all of them can be saved as a scenario or a test. */
import { download } from './download.js';
import { branches, current, currentGestures, rename, type Branch } from './branches.js';
import { showBranch, gestureText, lineOfGesture, offer, scenarioNow, takeBack } from './reach.js';
import { reload } from './load.js';
import { savedTest } from '../model/saved-test.js';
import { numberText } from '../model/words.js';
import { pauseAt, verdict } from './state.js';
import { StoryRecorder } from './story/recorder.js';

export function GesturePanel() {
  return (
    <div class="gestures">
      {branches.value.length > 1 && <Branches />}
      <ol class="log" aria-label="what was done by hand">
        {[...currentGestures.value]
          .sort((a, b) => a.at - b.at)
          .map((gesture) => (
            <li key={JSON.stringify(gesture)}>
              <button type="button" onClick={() => pauseAt(lineOfGesture(gesture))}>
                <span class="at">{numberText(gesture.at)}</span>
                <span>{gestureText(gesture)}</span>
              </button>
              <button type="button" class="small" onClick={() => void takeBack(gesture, reload)}>
                take back
              </button>
            </li>
          ))}
        {currentGestures.value.length === 0 && <li class="empty">Nothing yet. Press g to intervene.</li>}
      </ol>
      <p class="row">
        <button type="button" class="small" onClick={() => download('scenario.json', [scenarioText()])}>
          save as scenario
        </button>
        <button type="button" class="small" onClick={() => download('by-hand.test.ts', [testText()])}>
          save as test
        </button>
      </p>
      <StoryRecorder />
    </div>
  );
}

/** The runs that gestures have made, each below the one that it forked from. */
function Branches() {
  const children = (from: number | null) =>
    [...branches.value.entries()]
      .filter(([, branch]) => branch.from === from)
      .map(([place, branch]) => <Fork key={place} place={place} branch={branch} />);
  function Fork({ place, branch: { name } }: { place: number; branch: Branch }) {
    const isCurrent = place === current.value;
    const below = children(place);
    return (
      <li>
        {isCurrent ? (
          <input aria-label="name of this branch" value={name} onChange={(event) => rename(place, event.currentTarget.value)} />
        ) : (
          <button type="button" class="link" onClick={() => void showBranch(place, reload)}>
            {name}
          </button>
        )}
        {below.length > 0 && <ul>{below}</ul>}
      </li>
    );
  }
  return (
    <ul class="branches" aria-label="branches">
      {children(null)}
    </ul>
  );
}

const scenarioText = (): string => `${JSON.stringify(scenarioNow.value, null, 2)}\n`;

function testText(): string {
  const failed = verdict.value.findings.filter(({ holds }) => holds === false).map(({ property }) => property);
  return savedTest(scenarioNow.value, failed, offer.value?.module);
}
