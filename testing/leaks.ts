/**
 * A file of tests fails if it leaves a server, a process or a timer behind: what they print later would reach the tests of another file in
 * the same thread.
 */
import { afterAll } from 'vitest';

/** They end within this many turns of ten milliseconds. A busy machine takes longer for each turn. */
const TURNS_MAX = 1_000;
/** The platform's own, whatever a test replaces. */
const later = globalThis.setTimeout;
/** They end with their other end, and `fetch` keeps connections for a while. */
const HARMLESS = ['MessagePort', 'TCPSocketWrap'];

function held(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const before = held();
const left = (): string[] =>
  [...held()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return more > 0 && !HARMLESS.includes(kind) ? [`${more} ${kind}`] : [];
  });

afterAll(async () => {
  for (let turn = 0; left().length > 0; turn++) {
    if (turn === TURNS_MAX)
      throw new Error(`These tests leave something running: ${left().join(', ')}. Close it when a test has finished.`);
    await new Promise((resolve) => later(resolve, 10));
  }
});
