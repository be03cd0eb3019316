import { expect, test, vi } from 'vitest';
import { createTransport, type DriverListener } from './driver.js';
import { inProcessGuarantees } from './guarantees.js';

/** A transport that is connected, and its medium. */
async function connected() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  warn.mockClear();
  let medium!: DriverListener;
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    medium.opened({ send: () => {}, close: () => {} });
  });
  await transport.connect();
  return { transport, medium, warn };
}

test('the error that ends a transport is named where nobody listens to it, and only there', async () => {
  const unheard = await connected();
  unheard.medium.lost(new Error('the cable is cut'));
  expect(unheard.warn.mock.calls).toEqual([
    [expect.stringMatching(/^transport "a" has ended: the cable is cut; subscribe to its events/)],
  ]);
  const heard = await connected();
  const events: unknown[] = [];
  heard.transport.events.subscribe((event) => events.push(event));
  heard.medium.lost(new Error('the cable is cut'));
  expect(events).toEqual([{ type: 'closed', error: new Error('the cable is cut') }]);
  const closed = await connected();
  await closed.transport.close();
  expect(closed.warn).not.toHaveBeenCalled();
});
