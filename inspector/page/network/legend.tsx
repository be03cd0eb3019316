/** The meanings of the colors in the picture. */
import { colorStyle, TONES } from '../colors.js';
import { LegendList } from '../legend-list.js';
import { recording } from '../state.js';
import { GAUGE_FILLS, SAMPLES } from './draw.js';
import { POINTER_DASHES } from './draw-links.js';
import type { Scene } from './scene.js';
import { reader } from './picture.js';

/** Symbols in the marks of nodes. */
const SYMBOLS = { '●': 'token', '★': 'leader' } as const;

export function Legend({ scene }: { scene: Scene }) {
  const lives = new Set(scene.nodes.map(({ life }) => life));
  const tones = new Set(scene.nodes.map(({ tone }) => tone));
  const groups = new Set(scene.nodes.map(({ group }) => group).filter((group) => group >= 0));
  const badges = scene.nodes.flatMap(({ badge }) => badge ?? []);
  const gauges = reader.value?.gaugeKinds.names ?? [];
  const pointers = reader.value?.pointerKinds.names ?? [];
  return (
    <LegendList label="legend">
      {Object.entries(SYMBOLS).map(
        ([symbol, meaning]) => badges.some((badge) => badge.includes(symbol)) && <li key={symbol}>{`${symbol} ${meaning}`}</li>,
      )}
      {pointers.slice(0, 5).map((kind, i) => (
        <li key={`p${kind}`}>
          <svg viewBox="0 0 18 12" aria-hidden="true">
            <path
              d="M1 8Q8 2 15 6M11 3l5 3-5 3"
              fill="none"
              stroke-width="1.6"
              stroke-dasharray={POINTER_DASHES[i % POINTER_DASHES.length]!.join(' ')}
              style={{ stroke: 'var(--muted)' }}
            />
          </svg>
          {kind || 'pointer'}
        </li>
      ))}
      {[...groups].slice(0, 8).map((group) => (
        <li key={`g${group}`}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <circle cx="6" cy="6" r="6" style={{ fill: colorStyle('group', group) }} />
          </svg>
          {reader.value?.groups.names[group]}
        </li>
      ))}
      {gauges.map((gauge, i) => (
        <li key={`b${gauge}`}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <rect x="3" y="5" width="6" height="7" style={{ fill: `var(--${GAUGE_FILLS[i % GAUGE_FILLS.length]})` }} />
            <rect x="3" y=".5" width="6" height="11" fill="none" style={{ stroke: 'var(--muted)' }} />
          </svg>
          {gauge}
        </li>
      ))}
      {TONES.filter((tone) => tone !== 'plain' && tones.has(tone)).map((tone) => (
        <li key={`t${tone}`}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <circle
              cx="6"
              cy="6"
              r="4.6"
              stroke-width="1.6"
              style={{ fill: `var(--${tone}-fill)`, stroke: `var(--${tone}-edge)` }}
            />
          </svg>
          {tone}
        </li>
      ))}
      <Lives lives={lives} />
      {recording.value.messages.types.names.slice(0, 8).map((type, i) => (
        <li key={`m${type}`}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <path d="M11 6 2 11 4 6 2 1z" style={{ fill: colorStyle('message', i) }} />
          </svg>
          {type}
        </li>
      ))}
    </LegendList>
  );
}

/** Which nodes do not act, and how. */
const Lives = ({ lives }: { lives: ReadonlySet<string> }) => (
  <>
    {SAMPLES.filter(([life]) => life !== 'alive' && lives.has(life)).map(([life, { edge, dash }]) => (
      <li key={`l${life}`}>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <circle
            cx="6"
            cy="6"
            r="4.6"
            fill="none"
            stroke-width="1.6"
            stroke-dasharray={dash.join(' ')}
            style={{ stroke: edge === 'wrong' ? 'var(--wrong-edge)' : `var(--${edge})` }}
          />
        </svg>
        {life}
      </li>
    ))}
  </>
);
