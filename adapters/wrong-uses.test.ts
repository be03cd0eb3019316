/** Wrong uses of the application interface: each is refused at once with an error that names it, never with a bare TypeError. */
import { createNames } from './names.js';
import { createQuota } from './quota.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseScenario } from '../entries/network.js';
import { simulateByName } from '../testing/simulate.js';
import { UsageError } from '../index.js';
import { createBank } from './controller/bank.js';
import { createElection } from './election.js';
import { linked } from './linked.js';
import { directory } from '../machines/directory/index.js';
import { createLocks } from './locks/locks.js';
import { createRegister, Register } from './locks/register.js';
import { Neighborhood } from './neighborhood.js';
import { createNode } from './node/node.js';
import { folderStorage } from './storage/folder.js';
import { jetStreamStorage } from './storage/jet-stream.js';
import { broadcastChannel } from './transports/broadcast-channel.js';
import { ClosedError, ConnectionError, LostError } from './transports/errors.js';
import { InProcessBus } from './transports/in-process.js';
import { mqtt } from './transports/mqtt.js';
import { nats } from './transports/nats.js';
import { webSocket } from './transports/web-socket.js';

const bus = new InProcessBus();
const transport = bus.transport('a');
const peers = ['a', 'b'];
const url = 'ws://127.0.0.1:1';

/** Arguments that a JavaScript program may pass, without type checks. */
const [anyElection, anyLocks, anyNats, anyMqtt] = [createElection, createLocks, nats, mqtt] as any[];
const [anyQuota, anyNames, anyBank, anyNeighborhood] = [createQuota, createNames, createBank, Neighborhood] as any[];
const channel = broadcastChannel({ id: 'a' });

const uses: [what: string, use: () => unknown, answer: string][] = [
  ['no options', () => anyElection(), 'createElection takes its options as an object. Pass { transport, peers }'],
  [
    'a run without a function',
    () => {
      const election: any = createElection({ transport: bus.transport('r'), peers: ['r'] });
      return election.run().finally(() => election.close());
    },
    'election.run takes a function, as in election.run(async (signal) => …)',
  ],
  [
    'a misspelt option of a simulation',
    () => simulateByName({ protocol: 'directory', topology: { kind: 'ring', n: 3 } }, { hots: 'snapshots' } as never),
    'SimulationOptions.hots is an unknown key. Did you mean "host"?',
  ],
  [
    'a scenario without its protocols',
    () => (parseScenario as any)({ protocol: 'directory', topology: { kind: 'ring', n: 3 } }),
    'parseScenario needs the protocols as its second argument: parseScenario(json, protocols)',
  ],
  [
    'a transport alone',
    () => anyElection({ transport }),
    "createElection: peers is missing. Pass the ids of all peers, as in ['a', 'b', 'c']",
  ],
  [
    'no transport',
    () => anyElection({ peers }),
    'createElection: transport is missing. Pass a transport, as in linked(webSocket({ id, url }), { peers })',
  ],
  [
    'an address as transport',
    () => anyElection({ transport: url, peers }),
    `createElection: transport is "${url}". Pass a transport`,
  ],
  [
    'a promise as transport',
    () => anyElection({ transport: Promise.resolve(transport), peers }),
    'createElection: transport is a promise, which is to be awaited first',
  ],
  ['peers as one text', () => anyElection({ transport, peers: 'a,b' }), 'createElection: peers is "a,b". Pass the ids of all'],
  [
    'a peer that is a number',
    () => anyElection({ transport, peers: ['a', 2] }),
    'createElection: peers has 2 at place 1: it is 2. It is not a string',
  ],
  ['no peers', () => anyElection({ transport, peers: [] }), 'createElection: peers is empty. Pass the ids'],
  [
    'a word mistyped',
    () => anyElection({ transport, peers, nmae: 'x' }),
    'createElection has no option nmae. Did you mean "name"? Known: transport, peers, name',
  ],
  [
    'a time as text',
    () => anyElection({ transport, peers, settleMs: '30' }),
    'createElection: settleMs is "30". Pass a number of milliseconds from 0 to 2147483647',
  ],
  [
    'invalid radii',
    () => anyElection({ transport, peers, radii: [1, 'x'] }),
    'createElection: radii is a list of 2. Pass a list of hops',
  ],
  [
    'invalid links',
    () => anyElection({ transport, peers, links: ['a', 'b'] }),
    'createElection: links is a list of 2. Pass a list of pairs of peers',
  ],
  [
    'not one of the peers',
    () => createElection({ transport, peers: ['b', 'c'] }),
    'node "a" is not in the topology of "election". Add it to b, c.',
  ],
  ['no options of locks', () => anyLocks(), 'createLocks takes its options as an object. Pass { transport, peers }'],
  [
    'a peer twice',
    () => createLocks({ transport, peers: ['a', 'b', 'a'] }),
    'createLocks: peers contains "a" twice. Pass the ids of all',
  ],
  ['no peers of locks', () => createLocks({ transport, peers: [] }), 'createLocks: peers is empty'],
  ['locks of others', () => createLocks({ transport, peers: ['b', 'c'] }), 'peer "a" is not among the peers b, c. List it'],
  [
    'a word of locks mistyped',
    () => anyLocks({ transport, peers, storrage: {} }),
    'createLocks has no option storrage. Did you mean "storage"? Known: transport, peers, name, bootstrap, storage',
  ],
  [
    'a storage that saves nothing',
    () => anyLocks({ transport, peers, storage: { load: async () => {} } }),
    'createLocks: storage is an object. Pass a storage for the state of a peer',
  ],
  [
    'the API of OpenTelemetry, and no meter',
    () => anyLocks({ transport, peers, metrics: { getMeter: () => {} } }),
    "createLocks: metrics is an object. Pass a meter, such as metrics.getMeter('locks')",
  ],
  [
    'a number that inspects',
    () => anyLocks({ transport, peers, inspect: 5 }),
    'createLocks: inspect is 5. Pass a function, or an observer with next',
  ],
  ['a folder that is a number', () => (folderStorage as any)(5), 'folderStorage requires the path of a folder. Pass a text'],
  ['no folder', () => (folderStorage as any)(), 'folderStorage requires the path of a folder. Pass a text'],
  ['a folder without a name', () => folderStorage(''), 'folderStorage requires the path of a folder. Pass a text'],
  [
    'a folder as a URL',
    () => (folderStorage as any)(new URL('file:///var/lib')),
    "folderStorage requires the path of a folder. Pass a text such as '/var/lib/printers/a'; for a URL, fileURLToPath(url).",
  ],
  ['a quota without options', () => anyQuota(), 'createQuota takes its options as an object. Pass { transport, peers, budget }'],
  [
    'a quota of nothing',
    () => anyQuota({ transport, peers }),
    'createQuota: budget is missing. Pass a whole number of at least 0',
  ],
  ['a budget as text', () => anyQuota({ transport, peers, budget: '100' }), 'createQuota: budget is "100". Pass a whole number'],
  [
    'half a permit',
    () => anyQuota({ transport, peers, budget: 1, waste: 0.5 }),
    'createQuota: waste is 0.5. Pass a whole number',
  ],
  [
    'a waste mistyped',
    () => anyQuota({ transport, peers, budget: 1, wast: 1 }),
    'createQuota has no option wast. Did you mean "waste"? Known: transport, peers, name',
  ],
  ['a quota without peers', () => anyQuota({ transport, budget: 1 }), 'createQuota: peers is missing. Pass the ids'],
  ['names without options', () => anyNames(), 'createNames takes its options as an object. Pass { transport, peers }'],
  ['names with a budget', () => anyNames({ transport, peers, budget: 4 }), 'createNames has no option budget. Known: transport,'],
  ['a bank without options', () => anyBank(), 'createBank takes its options as an object. Pass { transport, peers }'],
  ['a balance as text', () => anyBank({ transport, peers, balance: '5' }), 'createBank: balance is "5". Pass a whole number'],
  ['a neighborhood without options', () => new anyNeighborhood(), 'Neighborhood takes its options as an object. Pass {'],
  [
    'a neighborhood with a word mistyped',
    () => new anyNeighborhood({ transport, peers, nam: 'x' }),
    'Neighborhood has no option nam. Did you mean "name"?',
  ],
  [
    'locks of more than are linked',
    () => createLocks({ transport: linked(channel, { peers }), peers: [...peers, 'c', 'd'] }),
    'the transport of peer "a" is linked with a, b, and not with c, d of the peers of these locks. List every possible peer in linked(transport, { peers })',
  ],
  [
    'a bucket of nothing',
    () => (jetStreamStorage as any)(),
    'jetStreamStorage requires { bucket, peer }. Create the bucket with @nats-io/kv',
  ],
  [
    'the name of a bucket',
    () => jetStreamStorage({ bucket: 'printers' as never, peer: 'a' }),
    'jetStreamStorage requires { bucket, peer }. Create the bucket with @nats-io/kv',
  ],
  [
    'a node of nothing',
    () => (createNode as any)(),
    'createNode takes its options as an object. Pass { transport, protocol, topology }',
  ],
  [
    'a node by the name of its protocol',
    () => createNode({ transport, protocol: 'directory' as never, topology: { nodes: ['a'], links: [] } }),
    'createNode: protocol is "directory". Pass a protocol from defineProtocol, or its core',
  ],
  [
    'a list of nodes as topology',
    () => createNode({ transport, protocol: directory, topology: ['a', 'b'] as never }),
    'createNode: topology is a list of 2. Pass all nodes and their links',
  ],
  ['a lasting quota of nothing', () => (createQuota as any)(), 'createQuota takes its options as an object'],
  [
    'a lasting quota with a transport',
    () => createQuota({ locks: 1, transport, peers, budget: 5 } as never),
    'createQuota has no option transport. Known: locks, budget, waste, name',
  ],
  [
    'lasting names of nothing',
    () => (createNames as any)({ locks: undefined }),
    'createNames: locks is missing. Pass locks from createLocks',
  ],
  ['a register of nothing', () => (createRegister as any)({}), 'createRegister: locks is missing. Pass locks from createLocks'],
  [
    'a register of a number',
    () => (createRegister as any)({ locks: 1, name: 'x', initial: 0, isValue: () => true }),
    'createRegister: locks is 1. Pass locks from createLocks',
  ],
];

test('there are more than forty, and as many of transports', () => {
  expect(uses.length).toBeGreaterThan(40);
});

test.each(uses)('%s: %s', async (_, use, answer) => {
  const answered = (async () => use())();
  await expect(answered).rejects.toThrow(UsageError);
  await expect(answered).rejects.toThrow(answer);
  await expect(answered).rejects.toThrow(/^[^\n]{1,400}$/);
});

describe('of a request for a lock', () => {
  const locks = () => {
    const all = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
    onTestFinished(() => all.close());
    return all as any;
  };
  const callback = () => {};
  test.each<[object, string]>([
    [{ mode: 'weak' }, 'locks.request("x"): mode is "weak". Pass "exclusive" or "shared"'],
    [{ steal: true }, 'locks.request("x"): steal is true. Pass false: a lock is never taken from its holder'],
    [{ ifAvailabel: true }, 'locks.request("x") has no option ifAvailabel. Did you mean "ifAvailable"?'],
    [{ ifAvailable: 1 }, 'locks.request("x"): ifAvailable is 1. Pass true or false'],
    [{ signal: 5_000 }, 'locks.request("x"): signal is 5000. Pass an AbortSignal'],
    [{ retry: 3 }, 'locks.request("x"): retry is 3. Pass true or false'],
    ...['timeout', 'timeoutMs', 'waitMs', 'acquireTimeout', 'ttl'].map((key): [object, string] => [
      { [key]: 5_000 },
      `locks.request("x") has no option ${key}. To stop waiting, pass signal: AbortSignal.timeout(ms)`,
    ]),
  ])('%j', async (options, answer) => {
    const all = locks();
    await expect(all.request('x', options, callback)).rejects.toThrow(UsageError);
    await expect(all.request('x', options, callback)).rejects.toThrow(answer);
    expect(await all.query()).toEqual({ held: [], pending: [] });
  });

  test('request needs a callback, and acquire takes none', async () => {
    await expect(locks().acquire('x', { retry: true })).rejects.toThrow('locks.acquire("x") has no option retry. Known: mode');
  });

  test.each<[unknown[], string]>([
    [[5], 'change of "x": how is 5. Pass a function of the value, as in register.change((count) => count + 1)'],
    [[], 'change of "x": how is missing. Pass a function of the value'],
    [[() => 1, { signal: 5 }], 'change of "x": signal is 5. Pass an AbortSignal'],
    [[() => 1, { timeout: 5 }], 'change of "x" has no option timeout. Known: signal'],
    [[() => 1n], '"x": a change of it gives 1n, which JSON cannot represent. Nothing has changed'],
  ])('a change of a register: %j', async (given, answer) => {
    const register = new Register(locks(), 'x', 0, (value): value is number => typeof value === 'number');
    const answered = (register as any).change(...given);
    await expect(answered).rejects.toThrow(UsageError);
    await expect(answered).rejects.toThrow(answer);
    expect(await register.change((value) => value + 1)).toBe(1);
  });

  test('a register without an initial value', () => {
    const all = locks();
    expect(() => new (Register as any)(all, 'x')).toThrow(
      'Register: initial is missing. Pass the value before the first change, the same at all peers, such as 0 for a counter',
    );
  });

  test('a time to close in', async () => {
    await expect(locks().close({ withinMs: -1 })).rejects.toThrow(
      'locks.close: withinMs is -1. Pass a number of milliseconds from 0 to 2147483647',
    );
  });
});

describe('errors at connect', () => {
  test('a function that gives no connection', async () => {
    const given = anyNats({ id: 'a', connection: async () => 'nats://127.0.0.1' });
    await expect(given.connect()).rejects.toThrow(ConnectionError);
    await expect(given.connect()).rejects.toThrow(
      'peer "a" has no connection to NATS: connection() returned "nats://127.0.0.1". Return the result of connect(',
    );
    const other = anyMqtt({ id: 'a', connection: () => undefined });
    await expect(other.connect()).rejects.toThrow(
      'peer "a" has no connection to the MQTT broker: connection() returned undefined. Return the result of connect(',
    );
  });

  test('a function that throws synchronously', async () => {
    const given = anyNats({
      id: 'a',
      connection: () => {
        throw new Error('no such server');
      },
    });
    await expect(given.connect()).rejects.toThrow('peer "a" has no connection to NATS: no such server');
  });

  test('a send before the connection, and one after the end', async () => {
    const own = bus.transport('early');
    expect(() => own.send('b', {})).toThrow(
      new ClosedError('transport "early" is not connected. Await connect() before you send'),
    );
    await own.close();
    expect(() => own.send('b', {})).toThrow(ClosedError);
  });
});

test('a platform without WebSocket: the error names the package to install', () => {
  vi.stubGlobal('WebSocket', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => webSocket({ id: 'a', url })).toThrow(
    `peer "a": this platform has no WebSocket. Use the class of the package ws: npm install ws, import { WebSocket } from 'ws', and webSocket({ …, WebSocket })`,
  );
});

test('an uncaught error of a lost lock reports the loss and the page to read', () => {
  const { message } = new LostError('lock "printer" is lost: others may have gone on without this peer');
  expect(message).toMatch(
    /^lock "printer" is lost: others may have gone on without this peer. See the page "Locks", section "When a lock is lost"/,
  );
});
