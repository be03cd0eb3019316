/** The panel for what is read rather than watched: plots, the log, the properties. */
import { signal } from '@preact/signals';
import { Log, Violations } from './log.js';
import { Panel } from './panel.js';
import { Plots, PlotsText } from './plots.js';
import { growing } from './state.js';

type Tab = 'plots' | 'log' | 'properties';
const TABS: readonly Tab[] = ['plots', 'log', 'properties'];

export const tab = signal<Tab>('plots');

export function LowerPanel() {
  const violations = growing().violations.length;
  const tabs = (
    <span role="tablist" class="tabs">
      {TABS.map((name) => (
        <button key={name} type="button" role="tab" aria-selected={tab.value === name} onClick={() => (tab.value = name)}>
          {name}
          {name === 'properties' && violations > 0 && <span class="count">{violations}</span>}
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
  return tab.value === 'log' ? <Log /> : <Violations />;
}
