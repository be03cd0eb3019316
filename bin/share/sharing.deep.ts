/** Shared jobs: failures, other programs, jobs that all have left, work that is done twice, runs that end their process, searches and swarms. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasCommand } from '../../bench/servers.js';
import { application, sharing } from './sharing.fixture.js';

describe.skipIf(!hasCommand('nats-server'))('with a server', () => {
  const { folder, moduleOf, start, alone, open, published, streams } = sharing();

  test('another program is refused while one is under way, and takes the place of what is left of one', async () => {
    const { file, gate } = moduleOf();
    const first = start(['rehearse', `${file}#holds`], gate('never'));
    await first.said('at the gate');
    const other = await start(['rehearse', `${file}#holds`, '--runs', '7']).ended();
    expect(other).toMatchObject({
      status: 64,
      errors: expect.stringContaining('under way with another program: runs 6 there and 7 here'),
    });
    writeFileSync(file, `${application(6)}// changed`);
    const changed = await start(['rehearse', `${file}#holds`]).ended();
    expect(changed).toMatchObject({
      status: 64,
      errors: expect.stringMatching(/program: file \w{16} there and \w{16} here; give all the same/),
    });
    first.child.kill('SIGKILL');
    await first.ended();
    const after = await start(['rehearse', `${file}#holds`]).ended();
    expect(after).toMatchObject({
      status: 0,
      json: { runs: 6 },
      errors: expect.stringContaining('is of another program, and is taken away'),
    });
    expect(await streams()).toEqual([]);
  });

  test('of several that fail the first seed is told, and what comes after it does not count', async () => {
    const { file, gate } = moduleOf(40);
    const single = alone('rehearse', `${file}#breaks`);
    expect(single.verdict).toBe('invalid');
    expect(single.runs).toBeGreaterThan(1);
    expect(single.runs).toBeLessThan(40);
    // The first piece comes last.
    const late = start(['rehearse', `${file}#breaks`], gate('late'));
    await late.said('at the gate');
    const failed = published(`quiver.share.*.result.${single.runs - 1}`);
    const other = start(['rehearse', `${file}#breaks`]);
    await failed;
    open(gate('late'));
    for (const end of await Promise.all([late.ended(), other.ended()])) expect(end).toMatchObject({ status: 1, json: single });
    expect(await streams()).toEqual([]);
  });

  test('when all are killed, what they have stored stays, and the same command goes on with it', async () => {
    const { file, gate } = moduleOf();
    const held = start(['rehearse', `${file}#holds`], gate('never'));
    await held.said('at the gate');
    const stored = published('quiver.share.*.result.5');
    const other = start(['rehearse', `${file}#holds`]);
    await stored;
    for (const { child } of [held, other]) child.kill('SIGKILL');
    await Promise.all([held.ended(), other.ended()]);
    expect(await streams()).toHaveLength(2);
    const { status, json, errors } = await start(['rehearse', `${file}#holds`]).ended();
    expect({ status, json }).toEqual({ status: 0, json: alone('rehearse', `${file}#holds`) });
    expect(errors).toContain('1 of 6 ran here');
    expect(await streams()).toEqual([]);
  });

  test('a run of one that was taken for dead is noticed: two results, which are compared', async () => {
    const { file, gate } = moduleOf();
    const stopped = start(['rehearse', `${file}#holds`], gate('first'));
    await stopped.said('at the gate');
    stopped.child.kill('SIGSTOP');
    const held = start(['rehearse', `${file}#holds`], gate('second'));
    await held.said('at the gate');
    const [result, again] = [published('quiver.share.*.result.0'), published('quiver.share.*.again.0')];
    const other = start(['rehearse', `${file}#holds`]);
    await result;
    open(gate('first'));
    stopped.child.kill('SIGCONT');
    await again;
    open(gate('second'));
    const single = alone('rehearse', `${file}#holds`);
    for (const end of await Promise.all([stopped.ended(), held.ended(), other.ended()])) {
      expect(end).toMatchObject({ status: 0, json: single });
      expect(end.errors).toContain('run twice, with the same result: seed 1');
    }
    expect(await streams()).toEqual([]);
  });

  test('a run that ends its process is given up by name', async () => {
    const { file } = moduleOf();
    const { status, errors } = await start(['rehearse', `${file}#ends`]).ended();
    expect(status).toBe(70);
    expect(errors).toMatch(
      /seed \d was handed out 5 times, and nobody came to its end: its process ended \(SIGABRT\); run it alone/,
    );
    expect(await streams()).toEqual([]);
  });

  test('searches on all graphs, and a swarm, come to what they come to alone', async () => {
    const ring = join(folder, 'ring.json');
    writeFileSync(
      ring,
      '{"protocol":"directory","topology":{"kind":"ring","n":3},"options":{"policy":"ivy"},"events":[{"at":0,"node":"n0","do":"request"}]}',
    );
    for (const args of [
      ['check', ring, '--graphs', '4'],
      ['test', 'directory', '--swarm', '350', '--seed', '9'],
    ]) {
      const single = alone(...args);
      const ends = await Promise.all([start(args).ended(), start(args).ended()]);
      for (const { status, json } of ends) expect({ status, json }).toEqual({ status: 0, json: single });
    }
    expect(await streams()).toEqual([]);
  });
});
