/** Comparison of this run with another one, as pictures and as lines, at the same moment, with their first difference. */
import { useState } from 'preact/hooks';
import { xOf } from '../model/playback.js';
import type { ReadTrace } from '../model/recording.js';
import { lanesIn, layOut } from '../model/spacetime.js';
import { numberText, sentence } from '../model/words.js';
import { branches, current } from './branches.js';
import { colorStyle } from './colors.js';
import {
  bringFile,
  bringNearest,
  bringRun,
  choice,
  choices,
  chooseRun,
  compareProblem,
  isSeeking,
  lineOfOther,
  mayBringNearest,
  otherRun,
  parting,
} from './compared.js';
import { offer } from './reach.js';
import { maximized, toggleMaximized } from './shell.js';
import { scrollWithin } from './sight.js';
import { shownWindow } from './spacetime/picture.js';
import { axis, currentLine, growing, pauseAt, recording, selectedNode } from './state.js';

const LINES_AROUND = 30;

export function Compare() {
  const run = otherRun.value;
  const { line = null, step = null } = parting.value ?? {};
  const name = branches.value[current.value]!.name;
  const other = choices.value.find((one) => one.choice === choice.value)?.name ?? '';
  return (
    <div class="compare">
      <p class="row">
        {choices.value.length > 0 && <OtherRun name={name} />}
        {parting.value && line === null && <span class="is-same">are the same, line by line</span>}
        {line !== null && <To line={line}>to the first difference, line</To>}
        {step !== null && step !== line && <To line={step}>to the first other step, line</To>}
        {run && maximized.value === null && (
          <button type="button" class="small" onClick={() => toggleMaximized('plots')}>
            side by side on the full page
          </button>
        )}
      </p>
      <Bring />
      {compareProblem.value !== null && (
        <p class="problem" role="alert">
          {compareProblem.value}
        </p>
      )}
      {run && (
        <div class="sides">
          <Side name={name} run={growing()} now={currentLine.value} parts={step} />
          <Side name={other} run={run} now={lineOfOther(run)} parts={step} />
        </div>
      )}
    </div>
  );
}

const To = ({ line, children }: { line: number; children: string }) => (
  <button type="button" class="small" onClick={() => pauseAt(Math.min(line, recording.value.end - 1))}>
    {children} {line + 1}
  </button>
);

const OtherRun = ({ name }: { name: string }) => (
  <>
    <b>{name}</b> and{' '}
    <select
      aria-label="the other run"
      value={String(choice.value)}
      onChange={({ currentTarget: { selectedIndex } }) => chooseRun(choices.value[selectedIndex]!.choice)}
    >
      {choices.value.map(({ choice, name }) => (
        <option key={choice} value={String(choice)}>
          {name}
        </option>
      ))}
    </select>
  </>
);

/** Another run to hold this one against. */
function Bring() {
  const [changed, setChanged] = useState({ seed: '', options: '' });
  return (
    <form
      class="row"
      aria-label="another run"
      onSubmit={(event) => {
        event.preventDefault();
        void bringRun(changed);
      }}
    >
      <label class="small button">
        compare with a trace
        <input
          type="file"
          accept=".ndjson,.jsonl,.json,.txt"
          onChange={({ currentTarget: { files } }) => files?.[0] && void bringFile(files[0])}
        />
      </label>
      {mayBringNearest.value && (
        <button type="button" class="small" disabled={isSeeking.value} onClick={() => void bringNearest()}>
          {isSeeking.value ? 'looking for it…' : 'the nearest good run'}
        </button>
      )}
      {offer.value && (
        <>
          <span class="hint">or run it with</span>
          <input
            aria-label="another seed"
            placeholder="seed"
            type="number"
            value={changed.seed}
            onInput={({ currentTarget: { value } }) => setChanged({ ...changed, seed: value })}
          />
          <input
            aria-label="other options"
            placeholder={'options: {"policy": "ivy"}'}
            value={changed.options}
            onInput={({ currentTarget: { value } }) => setChanged({ ...changed, options: value })}
          />
          <button type="submit" class="small">
            run it
          </button>
        </>
      )}
    </form>
  );
}

interface SideProps {
  readonly name: string;
  readonly run: ReadTrace;
  readonly now: number;
  /** From where on something else happens. */
  readonly parts: number | null;
}

/** One run around the moment. */
const Side = (props: SideProps) => (
  <section aria-label={props.name}>
    <h3>{props.name}</h3>
    <SidePicture {...props} />
    <SideLines {...props} />
  </section>
);

const LANES_MAX = 16;
const LANE = { small: 13, large: 30 } as const;
/** Per cent of the width, for the names. */
const NAMES = 9;

/** The same part of the space-time diagram as in the large picture, with the playhead at the same place. */
function SidePicture({ name, run, now, parts }: SideProps) {
  const here = xOf(recording.value, axis.value, currentLine.value);
  const playhead = axis.value === 'time' ? here : xOf(run, axis.value, now);
  const { from, to } = shownWindow.value;
  const window = { from: from + playhead - here, to: to + playhead - here };
  const nodes = lanesIn(run, axis.value, window, selectedNode.value < 0 ? [] : [selectedNode.value], LANES_MAX).slice(
    0,
    LANES_MAX,
  );
  const { dots, arrows } = layOut(run, axis.value, window, (node) => nodes.indexOf(node));
  const x = (value: number) => `${NAMES + ((value - window.from) / (window.to - window.from)) * (100 - NAMES)}%`;
  const height = maximized.value === 'plots' ? LANE.large : LANE.small;
  const y = (lane: number) => (lane + 0.5) * height;
  const isOther = (line: number) => parts !== null && line >= parts;
  return (
    <svg class="side" role="img" aria-label={`${name} in space and time`} height={nodes.length * height}>
      {nodes.map((node, lane) => (
        <line key={node} class="lane" x1={`${NAMES}%`} x2="100%" y1={y(lane)} y2={y(lane)} />
      ))}
      {arrows.map(({ message, from, to }) => (
        <line
          key={message.ordinal}
          x1={x(from.x)}
          y1={y(from.lane)}
          x2={x(to.x)}
          y2={y(to.lane)}
          stroke={colorStyle('message', recording.value.messages.types.find(message.type))}
          stroke-dasharray={message.ending === 'delivered' ? undefined : '3 3'}
        />
      ))}
      {dots.map(({ line, x: at, lane }) => (
        <circle key={line} class={isOther(line) ? 'differs' : ''} cx={x(at)} cy={y(lane)} r={line === now ? 4.5 : 2.6} />
      ))}
      <line class="playhead" x1={x(playhead)} x2={x(playhead)} y1={0} y2="100%" />
      <rect width={`${NAMES}%`} height="100%" />
      {nodes.map((node, lane) => (
        <text key={node} x={`${NAMES - 1}%`} y={y(lane) + 4}>
          {run.nodes.names[node]}
        </text>
      ))}
    </svg>
  );
}

/** The lines of one run around the moment. */
function SideLines({ name, run, now, parts }: SideProps) {
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
