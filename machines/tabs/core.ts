/** The part of the tabs protocol that an application loads. Tabs of a browser use it to find out which other tabs exist. */
import { integer, refuseUnknown, TICKS_MAX } from '../checks.js';
import { coreOf } from '../core.js';
import { isBoolean, isNode, listOf, type ShapesOf } from '../shapes.js';
import { PEER, peerRole, TAB, type TabMessage } from './messages.js';
import { peerMachine } from './peer.js';
import { tabMachine, type TabInput } from './tab.js';

/** The address of all tabs on the channel. In a network, a tab sends to each of the others instead. */
export const ALL = '*';

export interface TabsOptions extends Omit<TabInput, 'id' | 'audience'> {}

const KEYS = ['beat', 'patience', 'answer', 'reply'] as const;

function tabsOptions(raw: Readonly<Record<string, unknown>>): TabsOptions {
  refuseUnknown(raw, KEYS);
  return {
    beat: integer(raw, 'beat', { min: 1, max: TICKS_MAX, fallback: 10 }),
    patience: integer(raw, 'patience', { min: 1, fallback: 5 }),
    answer: integer(raw, 'answer', { min: 1, fallback: 2 }),
    reply: integer(raw, 'reply', { min: 1, max: TICKS_MAX, fallback: 4 }),
  };
}

const peer = { name: 'peer', type: 'node' } as const;

/**
 * Presence of tabs without its checks and view, as `createTabLocks` uses it.
 *
 * @public
 */
export const tabsCore = /* @__PURE__ */ coreOf({
  name: 'tabs',
  charts: { [TAB]: tabMachine, [PEER]: peerMachine },
  network: { reach: 'routed', order: 'fifo', isOpen: true },
  options: tabsOptions,
  roles: (id, { topology: { nodes }, options }) => {
    const others = nodes.filter((node) => node !== id);
    const input: TabInput = { ...options, id, audience: others.length > 0 ? others : [ALL] };
    return [{ role: TAB, chart: TAB, input }];
  },
  route: ({ type, from }, node) => {
    const role = peerRole(String(from));
    return ['beat', 'ping', 'bye'].includes(type) && node.has(role) ? role : TAB;
  },
  messages: {
    hello: {},
    here: { peers: listOf(isNode), isPresent: isBoolean },
    beat: {},
    ping: {},
    missed: {},
    bye: {},
  } satisfies ShapesOf<TabMessage>,
  commands: {
    arrive: { completedBy: ['present', 'missed'] },
    // Arrives after the browser has reported each tab that exists.
    arriveListed: { completedBy: ['present', 'missed'] },
    leave: {},
    // Reports of the browser, which may be wrong.
    exists: { fields: [peer] },
    ended: { fields: [peer] },
  },
});
