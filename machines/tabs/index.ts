/**
 * Who is there, of the tabs of one origin on a channel of the browser.
 *
 * Fault model: tabs come, leave, crash, and are frozen and go on; the channel loses nothing between those that are open and keeps its
 * order; who is there and not frozen answers in time. Promises: of any two that take part one knows the other, and soon both do, or one of them
 * hears that it was counted as gone; nobody is counted as gone who was not frozen. What it cannot promise: that a tab which was
 * frozen has noticed.
 */
import { statePath } from '../checks.js';
import { defineProtocol } from '../define.js';
import type { NodeId } from '../effects.js';
import type { Configuration, Flight } from '../protocol.js';
import { TabsAccount } from './account.js';
import { tabsCore, type TabsOptions } from './core.js';
import { PEER, TAB } from './messages.js';
import { areAcquainted, tabsProperties } from './properties.js';
import { peerSamples, tabSamples } from './samples.js';
import { tabsSystems } from './systems.js';
import { isPresent, tabOf } from './view.js';

export { tabsCore };

/**
 * The presence of tabs: who of them is there, by hellos, beats and goodbyes on a channel of the browser.
 *
 * @public
 */
export const tabs = /* @__PURE__ */ defineProtocol(
  tabsCore,
  {
    properties: tabsProperties,
    atRest: areAcquainted,
    mayFire: mayFireTabs,
    samples: { [TAB]: tabSamples, [PEER]: peerSamples },
    systems: tabsSystems,
  },
  {
    paper: 'Ours: hellos, heartbeats and questions on a channel that keeps its order',
    observe: ({ options }) => new TabsAccount(options),
    overlay: (node) => ({
      badge: statePath(tabOf(node)),
      tone: isPresent(node) ? 'active' : 'plain',
      edges: tabOf(node).context.peers.map((peer) => ({ to: peer, label: 'met' })),
    }),
  },
);

/**
 * What the checker, which knows no time, is notified of it: whoever is there answers a hello before the wait for answers is over, who is named has
 * been heard by then, and a question is answered before the next beat is due.
 */
function mayFireTabs(c: Configuration<TabsOptions>, node: NodeId): boolean {
  const tab = tabOf(c.nodes.get(node)!);
  const isAnswer = ({ from, message: { type } }: Flight) =>
    type === 'here' || (type === 'hello' && tab.context.named?.includes(from) === true);
  const isWaitedFor = (flight: Flight) =>
    statePath(tab) === 'there.arriving'
      ? (flight.from === node && flight.message.type === 'hello') || (flight.to === node && isAnswer(flight))
      : [flight.from, flight.to].includes(node);
  return !c.flights.some(isWaitedFor);
}
