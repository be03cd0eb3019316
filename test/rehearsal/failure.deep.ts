/** A failure is shrunk, reported, saved as a file, and run again. */
import { expect, test } from 'vitest';
import { careful, careless } from '../../examples/invoices.js';
import { formatFailure } from './failure.js';
import type { RehearsalFailure } from './report.js';
import { invariant } from './judges.js';
import { rehearsalMatchers } from './matchers.js';
import type { Main } from './peer.js';
import { rehearse } from './rehearse.js';
import type { RehearsalFault } from './scenario.js';

expect.extend(rehearsalMatchers);
declare module 'vitest' {
  interface Matchers<T = any> {
    toHold(): T;
  }
}

/** Counts its starts in a file, and notes the number. */
const counting: Main = async ({ disk, note }) => {
  const starts = Number((await disk.read('starts')) ?? 0) + 1;
  note('started', { starts });
  await disk.write('starts', String(starts));
};
const never = (starts: number) =>
  invariant(`no ${starts} starts`, ({ history }) => history.every((event) => event['starts'] !== starts));
const common = { peers: [3, 5], seconds: 10, runs: 50 };

test('a failure is shrunk: few peers and only necessary faults', async () => {
  const { failure } = await rehearse({ ...common, judges: [never(2)] }, counting);
  expect(failure).toMatchObject({ rehearsal: 1, judge: 'no 2 starts' });
  expect(failure!.scenario.peers).toHaveLength(3);
  expect(failure!.scenario.faults).toHaveLength(1);
  expect(['kill', 'power']).toContain(failure!.scenario.faults[0]!.what);
  const long = await rehearse({ ...common, judges: [never(2)], shrinkSeconds: 0 }, counting);
  expect(long.failure!.seed).toBe(failure!.seed);
  const twice = await rehearse({ ...common, judges: [never(3)] }, counting);
  expect(twice.failure!.scenario.faults).toHaveLength(2);
});

test('its load and its times are shrunk, and later faults are removed', async () => {
  const options = { ...common, knobs: { load: [1, 20, 300] }, judges: [never(2)] };
  const long = (await rehearse({ ...options, seed: 7, shrinkSeconds: 0 }, counting)).failure!;
  const short = (await rehearse({ ...options, seed: long.seed, runs: 1 }, counting)).failure!;
  const [before, after] = [long.scenario, short.scenario];
  expect([before.knobs, after.knobs]).toEqual([{ load: expect.toSatisfy((load) => load > 1) }, { load: 1 }]);
  expect([Math.max(...before.startsMs) > 0, Math.max(...after.startsMs)]).toEqual([true, 0]);
  const end = ({ atMs, lastsMs }: RehearsalFault) => atMs + lastsMs;
  expect(end(after.faults[0]!)).toBeLessThan(Math.max(...before.faults.map(end)) / 2);
  for (const { scenario, atMs } of [long, short]) expect(scenario.faults.filter((fault) => fault.atMs > atMs + 1)).toEqual([]);
  // A cold start in the same millisecond as what it breaks stays, and breaks it again.
  expect(after.faults).toMatchObject([{ what: 'cold', atMs: short.atMs }]);
  expect((await rehearse({ ...options, replay: short }, counting)).failure).toMatchObject({
    description: short.description,
    atMs: short.atMs,
  });
});

test('a failure is replayed from its file; without the fault nothing is found', async () => {
  const { failure } = await rehearse({ ...common, judges: [never(2)] }, counting);
  const file = JSON.parse(JSON.stringify(failure)) as RehearsalFailure;
  const again = await rehearse({ ...common, judges: [never(2)], replay: file }, counting);
  expect(again).toMatchObject({ runs: 1, failure: { judge: file.judge, description: file.description, atMs: file.atMs } });
  const without = { ...file, scenario: { ...file.scenario, faults: [] } };
  expect(await rehearse({ ...common, judges: [never(2)], replay: without }, counting)).toHold();
});

test('it is formatted with its seed, its faults and the events before it', async () => {
  const report = await rehearse({ ...common, judges: [never(2)] }, counting);
  const notified = formatFailure(report.failure!);
  expect(notified).toMatch(
    /^no 2 starts: "no 2 starts" does not hold \(at \d\.\d{3} of 10 s\)\n  seed \d+; 3 peers; (kill|power) p\d at \d+ ms/,
  );
  expect(notified).toMatch(/note peer=p\d what=started starts=1$/m);
  expect(() => expect(report).toHold()).toThrow('no 2 starts');
});

test('long events are truncated in the text and complete in the file', async () => {
  const { failure } = await rehearse({ ...common, judges: [never(2)] }, counting);
  const story = [...failure!.story, { at: 9_000, type: 'note', peer: 'p0', what: 'sent', message: 'x'.repeat(3_000) }];
  const last = formatFailure({ ...failure!, story })
    .split('\n')
    .at(-1)!;
  expect(last).toMatch(/^  9\.000 s  note peer=p0 what=sent message=x+…$/);
  expect(last.length).toBeLessThan(250);
});

test('without shrinking, a seed finds the same violation again', async () => {
  const options = { ...common, judges: [never(2)], shrinkSeconds: 0 };
  const [one, two] = [await rehearse(options, counting), await rehearse(options, counting)];
  expect(one.failure).toEqual(two.failure);
});

test('the invoice example: without the fence two orders get the same number', async () => {
  // Just what the command of the page runs: what it finds in front of the reader is found.
  const { main, ...options } = careless;
  const { failure, runs } = await rehearse({ ...options, shrinkSeconds: 0 }, main);
  expect(failure).toMatchObject({ judge: 'one order for each invoice', description: expect.stringContaining('is for order') });
  expect(runs).toBe(25);
  expect((await rehearse({ ...options, replay: failure! }, main)).failure).toMatchObject({ description: failure!.description });
  const { main: carefulMain, ...others } = careful;
  expect(await rehearse({ ...others, replay: failure! }, carefulMain)).toHold();
}, 120_000);

test.each([0.01, 1e-6])('when shrinking times out after %d s, the failure is still reported', async (shrinkSeconds) => {
  const { failure } = await rehearse({ ...common, judges: [never(2)], shrinkSeconds }, counting);
  expect(failure).toMatchObject({ judge: 'no 2 starts' });
});
