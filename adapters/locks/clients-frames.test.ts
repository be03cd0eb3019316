/** Idle clients exchange frames with voters only, so that their cost grows with their number and not with the number of pairs. */
import { expect, onTestFinished, test } from 'vitest';
import { beats, clock, warnings, wireOf } from '../linked.fixture.js';
import { linked } from '../linked.js';
import type { Transport } from '../transports/transport.js';
import { createLocks } from './locks.js';

const VOTERS = ['a', 'b', 'c'];
const CLIENTS = Array.from({ length: 20 }, (_, i) => `client-${i}`);

type Wire = ReturnType<typeof wireOf>['transport'];

/** How a program creates the transport of its clients: the locks add the link layer, or its list contains the voters or everyone. */
const linkedWith = (peers: readonly string[]) => (id: string, transport: Wire, time: ReturnType<typeof clock>) =>
  linked(transport(id), { peers, clock: time });

test.each<[string, (id: string, transport: Wire, time: ReturnType<typeof clock>) => Transport]>([
  ['a plain transport', (id, transport) => transport(id)],
  ['a list of the voters', linkedWith(VOTERS)],
  ['a list of all voters and clients', linkedWith([...VOTERS, ...CLIENTS])],
])('twenty idle clients with %s exchange ten frames a second with voters only', async (_, wired) => {
  const texts = warnings();
  const time = clock();
  const { sent, transport } = wireOf({ loss: 'possible' });
  const peers = [...VOTERS, ...CLIENTS];
  const voters = VOTERS.map((id) =>
    createLocks({ transport: linked(transport(id), { peers, clock: time }), peers: VOTERS, clock: time }),
  );
  const clients = CLIENTS.map((id) => createLocks({ transport: wired(id, transport, time), peers: VOTERS, client: true, clock: time }));
  onTestFinished(async () => {
    for (const locks of [...clients, ...voters]) void locks.close({ withinMs: 0 });
    await beats(time, 40);
  });
  await beats(time, 30);
  expect(clients.map((locks) => locks.status().state)).toEqual(CLIENTS.map(() => 'attached'));
  sent.splice(0);
  await beats(time, 10);
  const isOfVoter = ([from, to]: readonly [string, string, unknown]) => VOTERS.includes(from) || VOTERS.includes(to);
  expect(sent.filter((frame) => !isOfVoter(frame))).toEqual([]);
  expect(sent).toHaveLength(10 * (3 * 2 + 2 * 3 * 20));
  expect(texts()).toEqual([]);
});
