import { expect, test } from 'vitest';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { InProcessBus } from './in-process.js';
import { inProcessGuarantees } from './guarantees.js';

transportConformance({
  test,
  guarantees: inProcessGuarantees,
  values: fuzz,
  create: (ids) => {
    const bus = new InProcessBus();
    return ids.map((id) => bus.transport(id));
  },
});

test('closing the bus closes every transport', async () => {
  const bus = new InProcessBus();
  const a = bus.transport('a');
  await a.connect();
  const closed = new Promise((resolve) => a.events.subscribe((event) => event.type === 'closed' && resolve(event.error)));
  bus.close();
  expect(await closed).toBeNull();
  await expect(a.connect()).rejects.toMatchObject({ name: 'ClosedError' });
});

test("messages for absent peers are limited: the sender is refused with the peer's id", async () => {
  const bus = new InProcessBus();
  const a = bus.transport('a');
  await a.connect();
  const closed = new Promise<Error | null>((resolve) =>
    a.events.subscribe((event) => event.type === 'closed' && resolve(event.error)),
  );
  for (let i = 0; i <= 10_000; i++) a.send('nobody', i);
  expect((await closed)!.message).toContain('"nobody"');
});
