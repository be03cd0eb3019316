/** The lower panel with tabs: events, causes, properties, gestures, comparison and plots. */
import type { TargetedKeyboardEvent } from 'preact';
import { GesturePanel } from './gestures.js';
import { currentGestures } from './branches.js';
import { Compare } from './compare.js';
import { offer } from './reach.js';
import { Events } from './events.js';
import { Properties } from './properties.js';
import { Panel } from './panel.js';
import { Plots, PlotsText } from './plots.js';
import { tab, TABS, type Tab } from './tab.js';
import { verdict } from './state.js';
import { Why } from './why.js';

export function LowerPanel() {
  const violations = verdict.value.violated.length;
  const shown = TABS.filter((name) => name !== 'by hand' || offer.value);
  const tabs = (
    <span role="tablist" class="tabs" aria-label="lower panel" onKeyDown={(event) => moveTab(event, shown)}>
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          data-tab={name}
          aria-selected={tab.value === name}
          tabIndex={tab.value === name ? 0 : -1}
          // A click leaves the keys to the page.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => (tab.value = name)}
        >
          {name}
          {name === 'properties' && violations > 0 && <span class="count">{violations}</span>}
          {name === 'by hand' && currentGestures.value.length > 0 && (
            <span class="count is-calm">{currentGestures.value.length}</span>
          )}
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

/** Tabs are one stop of the Tab key; the arrow keys go from one to the next, round, and do not move the playhead meanwhile. */
function moveTab(event: TargetedKeyboardEvent<HTMLElement>, shown: readonly Tab[]): void {
  const at = shown.indexOf(tab.value);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  tab.value = shown.at(to % shown.length)!;
  event.currentTarget.querySelector<HTMLElement>(`[data-tab="${tab.value}"]`)?.focus();
}

function Content() {
  if (tab.value === 'plots') return <Plots />;
  if (tab.value === 'by hand' && offer.value) return <GesturePanel />;
  if (tab.value === 'compare') return <Compare />;
  if (tab.value === 'why') return <Why />;
  return tab.value === 'events' ? <Events /> : <Properties />;
}
