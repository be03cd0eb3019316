/** Web Locks of the platform, which Node and browsers keep for the whole program: no process of a world has them. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { quietScenario } from './quiet.fixture.js';
import { runOnce } from './rehearse.js';

test('a process has the navigator of the platform without its Web Locks', async () => {
  const platform = { locks: {}, language: 'en' };
  vi.stubGlobal('navigator', platform);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { events } = await runOnce(quietScenario, { judges: [] }, ({ note }) =>
    note(`${navigator.language} ${String(navigator.locks)}`),
  );
  const notes = new Set(events.flatMap(({ type, ...rest }) => (type === 'note' ? [rest['what']] : [])));
  expect(notes).toEqual(new Set(['en undefined']));
  expect(navigator).toBe(platform);
});
