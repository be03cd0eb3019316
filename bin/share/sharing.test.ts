/** Jobs that several processes share over a real server: nothing is lost with a worker, and nothing stays behind. The rest: sharing.deep.ts. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { natsServer } from '../../adapters/transports/servers.fixture.js';
import { freePort, hasCommand } from '../../bench/servers.js';
import { sharing } from './sharing.fixture.js';

describe.skipIf(!hasCommand('nats-server'))('with a server', () => {
  const { moduleOf, start, alone, streams } = sharing();

  test('a worker is killed in the middle of a run: the others come to what one alone would have found', async () => {
    const { file, gate } = moduleOf();
    const killed = start(['rehearse', `${file}#holds`], gate('never'));
    await killed.said('at the gate');
    const others = [start(['rehearse', `${file}#holds`]), start(['rehearse', `${file}#holds`])];
    killed.child.kill('SIGKILL');
    const ends = await Promise.all(others.map((other) => other.ended()));
    const single = alone('rehearse', `${file}#holds`);
    expect(single).toMatchObject({ verdict: 'valid', runs: 6 });
    for (const end of ends) expect(end).toMatchObject({ status: 0, json: single });
    expect(ends.map(({ errors }) => errors).join('')).toContain('1 came here after another worker had gone');
    expect(await streams()).toEqual([]);
  });

  test('Ctrl-C: others go on, and the last one leaves nothing behind', async () => {
    const { file, gate } = moduleOf();
    const [first, second] = [start(['rehearse', `${file}#holds`], gate('a')), start(['rehearse', `${file}#holds`], gate('b'))];
    await Promise.all([first.said('at the gate'), second.said('at the gate')]);
    first.child.kill('SIGINT');
    expect((await first.ended()).status).toBe(130);
    expect(await streams()).toHaveLength(2);
    second.child.kill('SIGINT');
    expect((await second.ended()).status).toBe(130);
    expect(await streams()).toEqual([]);
  });

  test.each([
    [
      'no server',
      async () => `nats://127.0.0.1:${await freePort()}`,
      /cannot reach NATS at nats:.*start a server there: nats-server -js/,
    ],
    ['no address', async () => 'server:4222x', /--share is "server:4222x"; give the address of a NATS server/],
    [
      'no JetStream',
      async () => {
        const plain = await natsServer();
        onTestFinished(() => plain.kill());
        return `nats://127.0.0.1:${plain.port}`;
      },
      /has no JetStream; start it with it: nats-server -js/,
    ],
  ])('%s is told', async (_, at, complaint) => {
    const { file } = moduleOf();
    const { status, errors } = await start(['rehearse', `${file}#holds`], undefined, await at()).ended();
    expect({ status, errors }).toEqual({ status: 64, errors: expect.stringMatching(complaint) });
  });
});
