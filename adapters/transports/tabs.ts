/**
 * The tabs of one origin that have opened the same channel, each told of the others as they come and go: a BroadcastChannel under the chart of
 * machines/tabs. What a tab says is heard by those whom it has met and who have met it, in order and once.
 *
 * A tab that was counted as gone hears so as soon as it speaks again, and its transport ends with a `ConnectionError`; it can come
 * back as another one, under a new id.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { EVERYBODY, tabsCore } from '../../machines/tabs/core.js';
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

/** Between two beats of a tab. */
const BEAT_MS = 500;
/** So many beats another may be silent: three seconds. */
const PATIENCE = 5;
/** So many a tab that comes waits for an answer: one second. */
const ANSWER = 2;

/** What is said of a channel, and its versions: nobody who speaks one understands another. */
const CHANNEL = 'quiver/tabs/1/';
const PRESENCE = 'tabs';
const DATA = 'data';

/** Nothing is lost between tabs that are there: what nobody hears is for nobody. */
const busGuarantees = { ...broadcastChannelGuarantees, loss: 'none' } as const;
/** With room for what stands around a message on the line. */
const guarantees: Linked = { ...busGuarantees, presence: 'reported', messageBytesMax: MESSAGE_BYTES_MAX - 2 ** 10 };

function bus(id: NodeId, channel: string, { clock }: InEnvironment): Transport<typeof busGuarantees> {
  return createTransport(id, busGuarantees, (medium) => {
    const opened = new BroadcastChannel(channel);
    const reader = new FrameReader(id, medium, clock);
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isObject(data) && (data['to'] === id || data['to'] === EVERYBODY)) reader.read(data['frame']);
    });
    medium.opened({
      send: (to, _, text) => opened.postMessage({ to, frame: frameText(id, text) }),
      close: () => opened.close(),
    });
  });
}

/** This tab's line to the others on a channel, under its own id: it is connected once it has met all who answer. */
export function tabsTransport(channel: string, environment: InEnvironment): Transport<Linked> {
  const { clock, crypto } = environmentOf(environment);
  const id = crypto.randomUUID();
  return createTransport(id, guarantees, async (medium, signal) => {
    const line = bus(id, CHANNEL + channel, { clock });
    const met = new Set<NodeId>();
    const node = createNode({
      transport: line,
      protocol: tabsCore,
      name: PRESENCE,
      topology: { nodes: [id], links: [] },
      options: { beat: BEAT_MS, patience: PATIENCE, answer: ANSWER },
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
      send: (to: NodeId, body: Json) => void (met.has(to) && Channels.of(line).send(DATA, to, { type: DATA, body } as Message)),
      close: leave,
    };
    const hear = (notification: TabNotification) => {
      if (notification.type === 'present') medium.opened(connection);
      else if (notification.type === 'missed')
        medium.broke(new ConnectionError(`tab "${id}" did not answer, so it counts as closed`));
      else if (notification.type === 'link.up') {
        met.add(notification.peer);
        medium.up(notification.peer);
      } else {
        met.delete(notification.peer);
        medium.down(notification.peer);
      }
    };
    node.notifications$.subscribe((notification) => hear(notification as TabNotification));
    void node.closed.then((error) => error && medium.lost(error));
    await node.ready;
    node.attempt('arrive');
  });
}
