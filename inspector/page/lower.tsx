/** The panel for what is read rather than watched: plots, the log, the properties. */
import { Gestures } from './gestures.js';
import { gestures, offer } from './hands.js';
import { Log, Properties } from './log.js';
import { Panel } from './panel.js';
import { Plots, PlotsText } from './plots.js';
import { tab, type Tab } from './tab.js';
import { verdict } from './state.js';
import { Why } from './why.js';

export function LowerPanel() {
  const violations = verdict.value.violated.length;
  const shown: readonly Tab[] = ['plots', 'log', 'why', 'properties', ...(offer.value ? (['by hand'] as const) : [])];
  const tabs = (
    <span role="tablist" class="tabs">
      {shown.map((name) => (
        <button key={name} type="button" role="tab" aria-selected={tab.value === name} onClick={() => (tab.value = name)}>
          {name}
          {name === 'properties' && violations > 0 && <span class="count">{violations}</span>}
          {name === 'by hand' && gestures.value.length > 0 && <span class="count is-calm">{gestures.value.length}</span>}
        </button>
      ))}
    </span>
  );
  return (
    <Panel view="plots" title={tabs} text={() => (tab.value === 'plots' ? <PlotsText /> : <Content />)}>
      <Content />
    </Panel>
  );
}

function Content() {
  if (tab.value === 'plots') return <Plots />;
  if (tab.value === 'by hand' && offer.value) return <Gestures />;
  if (tab.value === 'why') return <Why />;
  return tab.value === 'log' ? <Log /> : <Properties />;
}
