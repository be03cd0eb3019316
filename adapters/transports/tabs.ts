/**
 * A transport between the tabs of one origin that have opened the same channel. It reports the other tabs as they open and close: a
 * BroadcastChannel with the chart of machines/tabs. A message is delivered between two tabs once both know of each other, in order and
 * once. If the browser has Web Locks, it lists the tabs that exist and reports those that have ended.
 *
 * A tab that was counted as gone is notified when it sends again, and its transport ends with a `ConnectionError`. It can return as a new
 * tab with a new id.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { ALL, tabsCore } from '../../machines/tabs/core.js';
import type { TabNotification } from '../../machines/tabs/messages.js';
import { isObject } from '../../machines/checks.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { Channels } from '../node/channels.js';
import { createNode } from '../node/node.js';
import { createTransport } from './driver.js';
import { ConnectionError } from './errors.js';
import { FrameReader, frameText } from './frame.js';
import { MESSAGE_BYTES_MAX } from './reading.js';
import type { Json, Linked, Transport } from './transport.js';
import { broadcastChannelGuarantees } from './guarantees.js';

/** Milliseconds between two heartbeats of a tab. */
const BEAT_MS = 500;
/** Number of heartbeats that another tab may miss: three seconds. */
const PATIENCE = 5;
/** Number of heartbeats for which a new tab waits for answers: one second. */
const ANSWER = 2;
/** Milliseconds within which a tab that runs has replied. Only waits that a report of the browser shortens are so short. */
const REPLY_MS = 20;

/** Prefix of the names of channels and of Web Locks, with the version. Versions do not understand each other. */
const CHANNEL = 'quiver/tabs/1/';
const PRESENCE = 'tabs';
const DATA = 'data';

/** Guarantees between open tabs: no message is lost. */
const busGuarantees = { ...broadcastChannelGuarantees, loss: 'none' } as const;
/** Reserves space for the frame around a message. */
const guarantees: Linked = { ...busGuarantees, presence: 'reported', messageBytesMax: MESSAGE_BYTES_MAX - 2 ** 10 };

function bus(id: NodeId, channel: string, { clock }: InEnvironment): Transport<typeof busGuarantees> {
  return createTransport(id, busGuarantees, (medium) => {
    const opened = new BroadcastChannel(channel);
    const reader = new FrameReader(id, medium, clock);
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isObject(data) && (data['to'] === id || data['to'] === ALL)) reader.read(data['frame']);
    });
    medium.opened({ send: (to, _, text) => opened.postMessage({ to, frame: frameText(id, text) }), close: () => opened.close() });
  });
}

/** Creates this tab's transport on a channel, with a unique id. It is connected once all tabs that answer are known. */
export function tabsTransport(channel: string, environment: InEnvironment): Transport<Linked> {
  const { clock, crypto } = environmentOf(environment);
  const id = crypto.randomUUID();
  return createTransport(id, guarantees, async (medium, signal) => {
    // First, so that of any two tabs at least one is listed to the other.
    const listed = await listedTabs(CHANNEL + channel, id, signal);
    if (signal.aborted) return;
    const line = bus(id, CHANNEL + channel, { clock });
    const met = new Set<NodeId>();
    const node = createNode({
      transport: line,
      protocol: tabsCore,
      name: PRESENCE,
      topology: { nodes: [id], links: [] },
      options: { beat: BEAT_MS, patience: PATIENCE, answer: ANSWER, reply: REPLY_MS },
      clock,
      crypto,
    });
    Channels.of(line).open(DATA, {
      message: (from, { body }: Message & { body?: Json }) => met.has(from) && body !== undefined && medium.received(from, body),
    });
    const leave = async () => {
      node.attempt('leave');
      await node.close();
      await line.close();
    };
    signal.addEventListener('abort', () => void leave(), { once: true });
    const connection = {
      send(to: NodeId, body: Json) {
        const message = { type: DATA, body };
        if (met.has(to)) Channels.of(line).send(DATA, to, message);
      },
      close: leave,
    };
    const watch = (peer: NodeId) => listed?.watch(peer, () => node.attempt('ended', { peer }));
    const follow = (notification: TabNotification) => {
      if (notification.type === 'present') medium.opened(connection);
      else if (notification.type === 'missed')
        medium.broke(new ConnectionError(`tab "${id}" did not answer, so it counts as closed`));
      else if (notification.type === 'link.up') {
        met.add(notification.peer);
        medium.up(notification.peer);
        if (!listed?.tabs.includes(notification.peer)) watch(notification.peer);
      } else {
        met.delete(notification.peer);
        medium.down(notification.peer);
      }
    };
    node.notifications$.subscribe((notification) => follow(notification as TabNotification));
    void node.closed.then((error) => error && medium.lost(error));
    await node.ready;
    for (const peer of listed?.tabs ?? []) node.attempt('exists', { peer });
    node.attempt(listed ? 'arriveListed' : 'arrive');
    listed?.tabs.forEach(watch);
  });
}

/**
 * The tabs of a channel, as the browser knows them: each tab holds a Web Lock under its id until it leaves. The held locks are the tabs that
 * exist, also after crashes. A tab that waits for the lock of another one is notified at once when that tab has ended.
 *
 * A browser has no Web Locks in an insecure context, and refuses them where it refuses storage.
 */
interface ListedTabs {
  /** The other tabs that held their Web Locks when this tab had its own. */
  readonly tabs: readonly NodeId[];
  /** Calls back once another tab no longer holds its Web Lock. Never calls back for a tab that holds none. */
  watch(tab: NodeId, ended: () => void): void;
}

/** Takes the Web Lock of this tab, which it holds until the signal aborts. Returns `null` if the browser grants no Web Locks. */
async function listedTabs(channel: string, id: NodeId, signal: AbortSignal): Promise<ListedTabs | null> {
  const { locks }: Partial<Navigator> = globalThis.navigator ?? {};
  if (!locks) return null;
  const prefix = `${channel}/`;
  const list = async (): Promise<readonly NodeId[]> => {
    const { held = [] } = await locks.query();
    const tabs = held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    // The name of another channel may begin with that of this one.
    return tabs.filter((tab) => tab !== id && !tab.includes('/'));
  };
  try {
    await new Promise<void>((granted, refused) => {
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      locks.request(prefix + id, { signal }, () => (granted(), left)).catch(refused);
    });
    const tabs = await list();
    const waitFor = async (tab: NodeId, ended: () => void) => {
      if (!tabs.includes(tab) && !(await list()).includes(tab)) return;
      await locks.request(prefix + tab, { mode: 'shared', signal }, ended);
    };
    return { tabs, watch: (tab, ended) => void waitFor(tab, ended).catch(() => {}) };
  } catch {
    return null;
  }
}
