/** The strip with the captions of a story, above all views; and the list of all stories. */
import { allStories, currentStep, goToStep, isFound, stepNumber, story } from './state.js';
import type { Story } from '../../stories/story.js';
import { StoryText } from './captions.js';
import { Thumbnail } from './thumbnail.js';

const FAR_PX = 48;

const cards = swipes((direction) => {
  const next = stepNumber.value + direction;
  if (story.value?.steps[next]) void goToStep(next);
});

export function StoryStrip() {
  const opened = story.value;
  if (!opened || !currentStep.value) return null;
  const last = opened.steps.length - 1;
  const number = stepNumber.value;
  return (
    <section class="story" aria-label={`story: ${opened.title}`} data-step={number + 1} data-found={isFound.value} {...cards}>
      <div class="about">
        <h2>{opened.title}</h2>
        <Runs />
      </div>
      <StoryText />
      <div class="steps">
        <button type="button" class="button" disabled={number === 0} onClick={() => void goToStep(number - 1)}>
          Back
        </button>
        <span>
          {number + 1} of {last + 1}
        </span>
        {number < last ? (
          <button type="button" class="button is-main" onClick={() => void goToStep(number + 1)}>
            Next
          </button>
        ) : opened.name === '' ? (
          <button type="button" class="button is-main" onClick={() => void goToStep(0)}>
            From the start
          </button>
        ) : (
          <a class="button is-main" href="#stories">
            All stories
          </a>
        )}
      </div>
    </section>
  );
}

/** The runs that are compared; each leads to the first step that speaks of it. */
function Runs() {
  const { runs, steps } = story.value!;
  if (Object.keys(runs).length < 2) return null;
  return (
    <div class="runs">
      {Object.keys(runs).map((run) => (
        <button
          key={run}
          type="button"
          class="small"
          aria-pressed={currentStep.value?.run === run}
          onClick={() => void goToStep(steps.findIndex((one) => one.run === run))}
        >
          {run}
        </button>
      ))}
    </div>
  );
}

export function StoryList() {
  return (
    <ul class="stories">
      {allStories.value.map((one) => (
        <li key={one.name}>
          <a href={`#story=${one.name}`}>
            <Thumbnail story={one} />
            <b>{one.title}</b>
            <span>{one.description}</span>
            <span>
              {one.steps.length} steps, about {minutesOf(one)} minutes
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const WORDS_A_MINUTE = 180;
/** To look at what a step shows. */
const SECONDS_A_STEP = 12;

/** How long a story takes: to read its captions and to look at each step. */
function minutesOf({ steps }: Story): number {
  const words = steps.flatMap(({ text, along = [] }) => [text, ...along.map((caption) => caption.text)].join(' ').split(' '));
  return Math.max(Math.round(words.length / WORDS_A_MINUTE + (steps.length * SECONDS_A_STEP) / 60), 2);
}

/**
 * Handlers for a horizontal swipe on an element: `go` receives 1 for a swipe to the left and -1 for one to the right. They have the names
 * of the DOM, because a browser without touch may get it later.
 */
function swipes(go: (direction: 1 | -1) => void) {
  let from: Touch | null = null;
  return {
    ontouchstart({ touches }: TouchEvent) {
      from = touches.length === 1 ? touches[0]! : null;
    },
    ontouchend({ changedTouches: [to] }: TouchEvent) {
      if (!from || !to) return;
      const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
      from = null;
      if (Math.abs(x) > FAR_PX && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 1 : -1);
    },
    ontouchcancel() {
      from = null;
    },
  };
}
