/** Idle clients exchange frames with voters only, so that their cost grows with their number and not with the number of pairs. */
import { expect, onTestFinished, test } from 'vitest';
import { beats, clock, warnings, wireOf } from '../linked.fixture.js';
import { createLocks } from './locks.js';

const VOTERS = ['a', 'b', 'c'];
const CLIENTS = Array.from({ length: 50 }, (_, i) => `client-${i}`);

test('idle clients exchange a frame a second with each voter in each direction', async () => {
  const texts = warnings();
  const time = clock();
  const { sent, transport } = wireOf({ loss: 'possible' });
  const voters = VOTERS.map((id) => createLocks({ transport: transport(id), peers: VOTERS, clock: time }));
  const clients = CLIENTS.map((id) => createLocks({ transport: transport(id), peers: VOTERS, client: true, clock: time }));
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
  expect(sent).toHaveLength(2 * (3 * 2 + 3 * 50));
  expect(texts()).toEqual([]);
});
