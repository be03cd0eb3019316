/** A page that uses cluster actors as a client, through a hub. */
import { linked } from '../linked.js';
import { webSocket } from '../transports/web-socket.js';
import { visits } from './chromium-machine.fixture.js';
import { createCluster } from './cluster.js';

declare global {
  function useActor(url: string): Promise<readonly number[]>;
}

/** Sends two events, and returns what a subscriber has received until then, and the snapshot. */
globalThis.useActor = async (url) => {
  const peers = ['a', 'b', 'c'];
  const transport = linked(webSocket({ url }), { peers, client: true });
  const cluster = createCluster({ transport, peers, machines: { visits }, client: true });
  const ref = cluster.actor('visits', 'home');
  const seen: number[] = [];
  ref.subscribe(({ context }) => seen.push(context.n));
  await ref.send({ type: 'VISIT' });
  await ref.send({ type: 'VISIT' });
  const { n } = ref.getSnapshot().context;
  await cluster.close();
  await transport.close();
  return [seen.at(-1)!, n];
};
