/** Jobs that several processes share over a real server: nothing is lost with a worker, and nothing stays behind. The rest: sharing.deep.ts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { natsServer } from '../../adapters/transports/servers.fixture.js';
import { freePort, hasCommand } from '../../bench/servers.js';
import { sharing } from './sharing.fixture.js';

describe.skipIf(!hasCommand('nats-server'))('with a server', () => {
  const { moduleOf, start, alone, open, publish, streams } = sharing();

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
    ['no pack', 'nonsense'],
    ['no result', gzipSync('{"by":"x"}')],
  ])('a result that no worker has stored ends all by name: %s', async (_, data) => {
    const { file, gate } = moduleOf();
    const all = [start(['rehearse', `${file}#holds`], gate('never')), start(['rehearse', `${file}#holds`], gate('never'))];
    await Promise.all(all.map((one) => one.said('at the gate')));
    publish(`quiver.share.rehearse-${basename(file, '.mjs')}-mjs-holds.result.3`, data);
    for (const end of await Promise.all(all.map((one) => one.ended())))
      expect(end).toMatchObject({
        status: 64,
        errors: expect.stringMatching(/the result of seed 4 of .* cannot be read \(.*let nobody else publish there/),
      });
    expect(await streams()).toEqual([]);
  });

  test('a worker whose file imports something else is refused, however far beneath', async () => {
    const { file, gate } = moduleOf();
    const folder = dirname(file);
    writeFileSync(file, `import './beneath.mjs';\n${readFileSync(file, 'utf8')}`);
    writeFileSync(join(folder, 'beneath.mjs'), `export {\n  word,\n} from "./words/word.mjs";\n`);
    mkdirSync(join(folder, 'words'));
    const word = (value: number) =>
      writeFileSync(join(folder, 'words', 'word.mjs'), `import '../beneath.mjs';\nexport const word = ${value};\n`);
    word(1);
    const first = start(['rehearse', `${file}#holds`], gate('first'));
    await first.said('at the gate');
    word(2);
    expect(await start(['rehearse', `${file}#holds`]).ended()).toMatchObject({
      status: 64,
      errors: expect.stringMatching(/program: file \w{16} there and \w{16} here; give all the same/),
    });
    open(gate('first'));
    expect((await first.ended()).status).toBe(0);
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
