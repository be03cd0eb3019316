/** The controls for playback: play, step and speed, and a timeline of the whole trace to click or drag on. */
import type { TargetedPointerEvent } from 'preact';
import { computed } from '@preact/signals';
import { xOf } from '../model/playback.js';
import { numberText, sentence } from '../model/words.js';
import { timeText } from './time-text.js';
import { AskLine } from './ask-line.js';
import { hits, intervals, isAsking, stretches } from './ask.js';
import { forks, type Fork } from './branches.js';
import { showBranch } from './reach.js';
import { reload } from './load.js';
import { More } from './more.js';
import { IconButton } from './panel.js';
import {
  axis,
  changeSpeed,
  currentLine,
  isPlaying,
  pauseAt,
  play,
  playhead,
  growing,
  recording,
  setAxis,
  speed,
  step,
  timed,
} from './state.js';

const BARS = 240;
/** The most ticks that are distinguishable. */
const TICKS_MAX = 2000;
/** The least width of a bar, so that short intervals are visible. */
const BAR_MIN = 0.7;

/** How much happens when: the lines of the trace, counted along the axis. */
const density = computed(() => {
  const { first, end } = growing();
  const [from, to] = [xOf(recording.value, axis.value, first), xOf(recording.value, axis.value, end - 1)];
  const counts = new Array<number>(BARS).fill(0);
  if (end === first || to <= from) return counts;
  for (let bar = 0, before = first; bar < BARS; bar++) {
    const upTo = from + ((bar + 1) / BARS) * (to - from);
    const line = axis.value === 'time' ? recording.value.lastLineAt(upTo) + 1 : Math.floor(upTo) + 1;
    counts[bar] = Math.max(line - before, 0);
    before = Math.max(line, before);
  }
  const most = Math.max(...counts, 1);
  return counts.map((count) => count / most);
});

export function PlaybackControls() {
  const { first, end, violations } = growing();
  const isEmpty = end === first;
  return (
    <section class="transport" aria-label="time">
      <div class="buttons">
        <IconButton
          label="to the start"
          shortcut="Home"
          icon="M6 5v14M19 5 9 12l10 7z"
          disabled={isEmpty}
          onPress={() => pauseAt(recording.value.first - 1)}
        />
        <IconButton
          label="one line back"
          shortcut="←"
          icon="M16 5 8 12l8 7"
          disabled={isEmpty}
          onPress={() => step('line', -1)}
        />
        <button
          type="button"
          class="play"
          aria-label={isPlaying.value ? 'pause' : 'play'}
          disabled={isEmpty}
          onClick={() => play(!isPlaying.value)}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={isPlaying.value ? 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z' : 'M8 5l11 7-11 7z'} />
          </svg>
        </button>
        <IconButton
          label="one line forward"
          shortcut="→"
          icon="m8 5 8 7-8 7"
          disabled={isEmpty}
          onPress={() => step('line', 1)}
        />
        <IconButton
          label="to the next delivery"
          shortcut="Shift →"
          icon="M5 5l8 7-8 7M17 12m-3 0a3 3 0 1 0 6 0 3 3 0 1 0-6 0"
          disabled={isEmpty}
          onPress={() => step('delivery', 1)}
        />
        <IconButton
          label="to the next violation"
          shortcut="v"
          icon="M12 4 22 20H2zM12 10v4M12 17v.5"
          disabled={violations.length === 0}
          onPress={() => step('violation', 1)}
        />
      </div>
      <div class="course">
        <Scrubber last={end - 1} />
        {forks.value.length > 0 && <Forks last={end - 1} />}
      </div>
      <Readout end={end} />
      {isAsking.value && <AskLine />}
    </section>
  );
}

/** Where one is, how time passes, and the way to ask. */
function Readout({ end }: { end: number }) {
  return (
    <div class="readout">
      <output class="time" aria-label="now">
        {timed.value && <b>{timeText(playhead.value.x)}</b>}
        <span>
          line {Math.max(currentLine.value + 1, 0)} of {end}
        </span>
      </output>
      {timed.value && (
        <button
          type="button"
          class="small"
          title="what moves evenly: time, or lines"
          onClick={() => setAxis(axis.value === 'time' ? 'lines' : 'time')}
        >
          by {axis.value}
        </button>
      )}
      <span class="speed">
        <IconButton label="slower" shortcut="−" icon="M5 12h14" onPress={() => changeSpeed(-1)} />
        <output aria-label="speed">{speed.value}×</output>
        <IconButton label="faster" shortcut="+" icon="M5 12h14M12 5v14" onPress={() => changeSpeed(1)} />
      </span>
      <IconButton
        label="ask for lines of the trace"
        shortcut="/"
        pressed={isAsking.value}
        icon="M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12M14.5 14.5 20 20"
        onPress={() => (isAsking.value = !isAsking.value)}
      />
    </div>
  );
}

/** Only the panel "by hand" lists more of them. */
const FORKS_SHOWN = 4;
/** Percent of the width. Beyond it, a name fits only to the left of its place. */
const LATE = 70;

/** The other branches, each from where it parts from the run that is shown. */
function Forks({ last }: { last: number }) {
  const { first, at, lastLineAt } = growing();
  const [from, to] = [xOf(recording.value, axis.value, first), xOf(recording.value, axis.value, Math.max(last, first))];
  const placeOf = (time: number) => (axis.value === 'time' ? time : lastLineAt(Math.min(time, at(last))));
  const percent = (x: number) => (to > from ? Math.min(Math.max((x - from) / (to - from), 0), 1) * 100 : 0);
  return (
    <ul class="forks" aria-label="runs that part from this one">
      {forks.value.slice(0, FORKS_SHOWN).map(({ branch, name, at }) => (
        <Parting key={branch} branch={branch} name={name} at={at} percent={percent(placeOf(at))} />
      ))}
      {forks.value.length > FORKS_SHOWN && (
        <li>
          <More names={forks.value.slice(FORKS_SHOWN).map(({ name }) => name)} things="under “by hand”" />
        </li>
      )}
    </ul>
  );
}

function Parting({ branch, name, at, percent }: Fork & { readonly percent: number }) {
  const isLate = percent > LATE;
  return (
    <li>
      <button
        type="button"
        class={isLate ? 'is-late' : ''}
        title={`${name}: parts at ${numberText(at)}; show it`}
        style={isLate ? { right: `${100 - percent}%` } : { left: `${percent}%` }}
        onClick={() => void showBranch(branch, reload)}
      >
        {name}
      </button>
    </li>
  );
}

/** A slider along the axis; the keys of the page move it, line by line. */
function Scrubber({ last }: { last: number }) {
  const { first, violations, endless } = growing();
  const [from, to] = [xOf(recording.value, axis.value, first), xOf(recording.value, axis.value, Math.max(last, first))];
  const part = (x: number) => (to > from ? Math.min(Math.max((x - from) / (to - from), 0), 1) : 0);
  const placeOf = (line: number) => part(xOf(recording.value, axis.value, line)) * BARS;
  const now = currentLine.value;
  const scrub = (event: TargetedPointerEvent<HTMLElement>) => {
    const slider = event.currentTarget;
    if (!slider.hasPointerCapture(event.pointerId)) return;
    const x = from + Math.min(Math.max(event.offsetX / slider.clientWidth, 0), 1) * (to - from);
    pauseAt(axis.value === 'time' ? recording.value.lastLineAt(x) : Math.round(x));
  };
  return (
    <div
      class="scrubber"
      role="slider"
      tabIndex={0}
      aria-label="line of the trace"
      aria-valuemin={0}
      aria-valuemax={last + 1}
      aria-valuenow={now + 1}
      aria-valuetext={now >= first && now <= last ? `line ${now + 1}: ${sentence(recording.value.line(now))}` : 'start'}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scrub(event);
      }}
      onPointerMove={scrub}
    >
      <svg viewBox={`0 0 ${BARS} 24`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="done" x="0" y="0" width={part(playhead.value.x) * BARS} height="24" />
        <path class="density" d={density.value.map((height, bar) => `M${bar + 0.5} 24v${-Math.sqrt(height) * 20}`).join('')} />
        {endless !== null && <rect class="endless" x={placeOf(endless)} y="18" width={BARS - placeOf(endless)} height="6" />}
        <path
          class="hits"
          d={
            intervals.value
              ? ''
              : hits.value
                  .slice(0, TICKS_MAX)
                  .map((line) => `M${placeOf(line)} 0v9`)
                  .join('')
          }
        />
        <path
          class="held"
          d={stretches.value
            .slice(0, TICKS_MAX)
            .map(
              ({ from, to }) =>
                `M${placeOf(from)} 0H${Math.max(placeOf(to ?? last), placeOf(from) + BAR_MIN)}v6H${placeOf(from)}z`,
            )
            .join('')}
        />
        {violations
          .slice(0, 500)
          .map((violation) => growing().seenAt(violation))
          .map((line) => (
            <path key={line} class="violation" d={`M${placeOf(line)} 0v24`} />
          ))}
      </svg>
      <span class="thumb" style={{ left: `${part(playhead.value.x) * 100}%` }} />
    </div>
  );
}
