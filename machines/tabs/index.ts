/**
 * Presence of the tabs of one origin on a channel of the browser.
 *
 * Fault model: tabs arrive, leave, crash, and are frozen and go on. The channel keeps its order and loses nothing between open tabs. A tab
 * that is present and not frozen replies in time. A browser may report that tabs exist or have ended, rightly or wrongly.
 *
 * Guarantees: of any two participating tabs at least one knows the other, and soon both do, or one of them is notified that it was counted
 * as gone. Only a frozen tab is counted as gone.
 *
 * Limitations: a frozen tab may not have noticed it.
 */
import { statePath } from '../checks.js';
import { defineProtocol } from '../define.js';
import type { NodeId } from '../effects.js';
import type { Configuration, Flight } from '../protocol.js';
import { TabsAccount } from './account.js';
import { tabsCore, type TabsOptions } from './core.js';
import { PEER, peerRole, TAB } from './messages.js';
import { areAcquainted, tabsProperties } from './properties.js';
import { peerSamples, tabSamples, tabsSystems } from './samples.js';
import { isArriving, isPresent, presentIn, tabOf } from './view.js';

export { tabsCore };

/**
 * Presence of tabs: the open tabs of one origin find each other by `hello`, `beat` and `bye` on a channel of the browser.
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
 * The assumptions about time for the checker, which knows no time. A `hello` is answered before the wait for replies ends, and the `hello`
 * of a named tab has arrived by then. A `ping` is answered before the next beat or the end of the wait for a reply. Tabs beat equally often:
 * a beat that changes nothing is left out, so that it is not repeated forever while another tab waits to beat.
 */
function mayFireTabs(c: Configuration<TabsOptions>, node: NodeId, role: string): boolean {
  const tab = tabOf(c.nodes.get(node)!);
  const isAnswer = ({ from, message: { type } }: Flight) =>
    type === 'here' || (type === 'hello' && tab.context.named?.includes(from) === true);
  const arrives = role === TAB && isArriving(c.nodes.get(node)!);
  const isWaitedFor = (flight: Flight) =>
    arrives
      ? (flight.from === node && flight.message.type === 'hello') || (flight.to === node && isAnswer(flight))
      : [flight.from, flight.to].includes(node);
  return !c.flights.some(isWaitedFor) && (role !== TAB || arrives || (isNoticed(c, node) && !isAsking(c, node)));
}

/** True if the tab waits for the reply of one that was reported, which is a shorter wait than that for a beat. */
const isAsking = (c: Configuration<TabsOptions>, node: NodeId): boolean =>
  Object.values(c.nodes.get(node)!).some(({ value }) => value === 'reported');

/** True if a beat changes the state of its tab, which asks those that it knows, or of another one. */
const isNoticed = (c: Configuration<TabsOptions>, node: NodeId): boolean =>
  tabOf(c.nodes.get(node)!).context.peers.length > 0 ||
  presentIn(c).some((peer) => peer !== node && c.nodes.get(peer)![peerRole(node)]?.value !== 'present');
