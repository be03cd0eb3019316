import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { broadcastChannel } from './broadcast-channel.js';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { broadcastChannelGuarantees } from './guarantees.js';

let networks = 0;

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));

transportConformance({
  test,
  guarantees: broadcastChannelGuarantees,
  values: fuzz,
  inject: (to, garbage) => {
    const raw = new BroadcastChannel(`test ${networks - 1}`);
    raw.postMessage(garbage);
    raw.postMessage({ to, garbage });
    raw.close();
  },
  injectTexts: (to, texts) => {
    const raw = new BroadcastChannel(`test ${networks - 1}`);
    for (const text of texts) raw.postMessage({ to, frame: text });
    raw.close();
  },
  create: (ids) => {
    const channel = `test ${networks++}`;
    return ids.map((id) => broadcastChannel({ id, channel }));
  },
});

test('without a channel the default is quiver, until the transport is closed', async () => {
  const [a, b] = [broadcastChannel({ id: 'unnamed' }), broadcastChannel({ id: 'named', channel: 'quiver' })];
  await Promise.all([a.connect(), b.connect()]);
  const arrived = new Promise<unknown>((resolve) => b.events.subscribe(resolve));
  a.send('named', 'good day');
  expect(await arrived).toEqual({ type: 'message', from: 'unnamed', message: 'good day' });
  const closes = vi.spyOn(BroadcastChannel.prototype, 'close');
  onTestFinished(() => closes.mockRestore());
  await Promise.all([a.close(), b.close()]);
  expect(closes).toHaveBeenCalledTimes(2);
});
