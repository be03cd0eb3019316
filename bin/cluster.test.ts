/** `quiver cluster` against peers at a real hub on loopback: what an operator sees and changes, and what is refused. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { linked } from '../adapters/linked.js';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import { operatorListener } from '../adapters/locks/operator.js';
import { webSocketHub } from '../adapters/transports/web-socket-hub.js';
import { webSocket } from '../adapters/transports/web-socket.js';
import { called } from './called.fixture.js';
import { quiver } from './program.js';

const { printed, complained } = called();
const token = 'a secret for tests';

afterEach(() => void vi.unstubAllEnvs());

/** Three voters, a peer that has not joined and a client, each at the same hub. `a` serves the listener below `/locks`. */
async function cluster() {
  vi.stubEnv('QUIVER_TOKEN', token);
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const hub = await webSocketHub({ port: 0 });
  const ids = ['a', 'b', 'c', 'd', 'web'];
  const voters = ['a', 'b', 'c'];
  const all = ids.map((id) => {
    const wire = webSocket({ id, url: `ws://127.0.0.1:${hub.port}`, WebSocket });
    const transport = linked(wire, { peers: ids, beatMs: 20 });
    const how = id === 'd' ? { join: true } : id === 'web' ? { peers: voters, client: true } : { peers: voters };
    return createLocks({ transport, ...how });
  }) as [Locks, Locks, Locks, Locks, Locks];
  const [a, b, c, d, web] = all;
  const listener = operatorListener(a, { token });
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    server.close();
    await Promise.all(all.map((locks) => locks.close({ withinMs: 0 })));
    await Promise.all(all.map(({ transport }) => transport.close()));
    await hub.close();
  });
  await Promise.all([a, b, c, web].map(({ ready }) => ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/locks`;
  const run = async (...words: string[]) => {
    printed.length = complained.length = 0;
    const status = await quiver(['cluster', ...words, '--url', url]);
    return { status, text: [...printed, ...complained].join('\n') };
  };
  const connected = (peer: Locks, id: string) => vi.waitFor(() => expect(peer.transport.peers.has(id)).toBe(true), 10_000);
  return { a, b, c, d, web, url, run, connected };
}

test('status shows peers, round trips, holders, waiters and a lost peer', async () => {
  const { a, b, c, web, run, connected } = await cluster();
  for (const peer of [a, b, c]) await connected(peer, 'web');
  const held = await b.acquire('printer');
  const [fence, epoch] = [held.fence, a.status().epoch];
  void c.acquire('printer').catch(() => {});
  void web.acquire('printer').catch(() => {});
  await vi.waitFor(async () => expect((await a.inspect()).locks[0]?.waiting).toHaveLength(2), 10_000);
  const { status, text } = await run('status');
  expect(status).toBe(0);
  const lines = text.split('\n');
  expect(lines[0]).toBe(`locks at a: 3 of 3 voters serve epoch ${epoch}, the leader is ${a.status().leader}`);
  expect(lines).toContain('  a    voter, serving');
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}b {4}voter, serving, \d+ ms$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}web {2}client, attached, \d+ ms$/));
  expect(lines.at(-1)).toMatch(
    new RegExp(
      `^lock "printer": held by b for [\\d.]+ s, fence ${fence}; waiting: (c|web) for [\\d.]+ s, (c|web) for [\\d.]+ s$`,
    ),
  );
  await run('status', '--json');
  expect(JSON.parse(printed[0]!)).toMatchObject({
    peer: 'a',
    voters: ['a', 'b', 'c'],
    locks: [{ holders: [{ peer: 'b', fence }] }],
  });
  await b.transport.close();
  await vi.waitFor(() => expect(a.status().missing).toEqual(['b']), 10_000);
  expect((await run('status')).text).toMatch(/^ {2}b {4}voter, missing; not at the hub at ws:/m);
});

test('voters change; a rejected or undecided change has another exit status', async () => {
  const { a, b, c, d, run, connected } = await cluster();
  await connected(a, 'd');
  expect(await run('add', 'd')).toEqual({ status: 0, text: 'The voters are a, b, c, d.' });
  await d.ready;
  expect(await run('remove', 'c')).toEqual({ status: 0, text: 'The voters are a, b, d.' });
  expect(await run('replace', 'b', 'c')).toEqual({ status: 0, text: 'The voters are a, c, d.' });
  expect(await run('remove', 'p9')).toEqual({ status: 1, text: expect.stringContaining('"p9" is not a member') });
  expect(a.members).toEqual(['a', 'c', 'd']);
  await Promise.all([b, c, d].map(({ transport }) => transport.close()));
  await vi.waitFor(() => expect(a.status().missing).toEqual(['c', 'd']), 10_000);
  const undecided = await run('remove', 'd', '--seconds', '0');
  expect(undecided).toEqual({ status: 2, text: expect.stringContaining('is not decided after 0 ms and may still be') });
  const { status, text } = await run('status');
  expect([status, text]).toEqual([1, expect.stringContaining('\npending change: remove d, requested at a\n')]);
  const notReached =
    'The voters are a, c, d.\nNot reached: c, d. A voter that led before may still make the change: repeat this when all are back, or replace those that are gone.';
  expect(await run('withdraw')).toEqual({ status: 2, text: `Withdrawn: remove d, requested at a. ${notReached}` });
  expect(await run('withdraw')).toEqual({ status: 2, text: `No change is pending at this peer. ${notReached}` });
  expect((await run('status')).text).not.toContain('pending change');
});

/** The status of the response to a path that no client library sends. */
const statusOf = (url: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

test('health checks need no token, and everything else does', async () => {
  const { a, url, run } = await cluster();
  const at = async (path: string, how = {}) => {
    const response = await fetch(`${url}/${path}`, how);
    return [response.status, await response.json()] as const;
  };
  expect(await at('healthz')).toEqual([200, { state: 'serving' }]);
  expect(await at('readyz')).toEqual([200, { state: 'serving' }]);
  for (const authorization of ['', 'Bearer ', `Bearer ${token}s`, `Bearer ${token.slice(1)}`, token])
    for (const [path, method] of [
      ['status', 'GET'],
      ['members?remove=c', 'POST'],
    ] as const)
      expect(await at(path, { method, headers: { authorization } })).toEqual([401, { error: 'the token is missing or wrong' }]);
  expect(a.members).toEqual(['a', 'b', 'c']);
  const headers = { authorization: `Bearer ${token}` };
  expect(await at('members?remove=c', { headers })).toMatchObject([404, {}]);
  expect(await statusOf(url, '//')).toBe(400);
  expect(await at('members', { method: 'POST', headers })).toMatchObject([
    400,
    { error: expect.stringContaining('needs add, remove') },
  ]);
  expect(await at('status?timeoutMs=soon', { headers })).toMatchObject([
    400,
    { error: expect.stringContaining('timeoutMs is a whole') },
  ]);
  await a.close({ withinMs: 0 });
  expect(await at('healthz')).toEqual([503, { state: 'closed' }]);
  expect(await at('readyz')).toEqual([503, { state: 'closed' }]);
  const closed = await run('status');
  expect(closed).toEqual({ status: 2, text: expect.stringContaining('the locks of this peer are closed') });
  expect(() => operatorListener(a, { token: 'short' })).toThrow(
    'token has 5 characters. Pass a secret of at least 16 characters',
  );
});

test('wrong words, a wrong token and a wrong address have specific errors', async () => {
  const { run, url } = await cluster();
  for (const words of [[], ['stats'], ['add'], ['remove', 'a', 'b'], ['replace', 'a'], ['status', 'a']])
    await expect(run(...words)).rejects.toThrow(
      'quiver cluster takes status, add ID, remove ID, replace OLD NEW, withdraw, or recover FOLDER',
    );
  await expect(quiver(['cluster', 'status'])).rejects.toThrow('quiver cluster needs --url');
  await expect(quiver(['cluster', 'status', '--url', 'here'])).rejects.toThrow('--url is "here". Pass an address such as');
  const unreachable = await quiver(['cluster', 'status', '--url', 'http://127.0.0.1:1/']);
  expect([unreachable, complained.join('')]).toEqual([
    2,
    expect.stringContaining('No answer from a peer of locks at http://127.0.0.1:1/status'),
  ]);
  vi.stubEnv('QUIVER_TOKEN', 'another secret of tests');
  await expect(run('status')).rejects.toThrow('The token is wrong. Set QUIVER_TOKEN');
  vi.stubEnv('QUIVER_TOKEN', '');
  await expect(quiver(['cluster', 'status', '--url', url])).rejects.toThrow('Set the variable QUIVER_TOKEN');
});
