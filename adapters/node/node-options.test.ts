/** Options for `createNode` are checked before anything is opened: each error names the option and the expected value. */
import { expect, test } from 'vitest';
import { directoryCore } from '../../machines/directory/core.js';
import { checkOptions } from '../options.js';
import { InProcessBus } from '../transports/in-process.js';
import { NODE_CHECKS } from './node-options.js';

const needed = {
  transport: new InProcessBus().transport('a'),
  protocol: directoryCore,
  topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] },
};
const check = (options: object) => checkOptions('createNode', { ...needed, ...options }, NODE_CHECKS);

const PROTOCOL = 'Pass a protocol from defineProtocol, or its core';
const TOPOLOGY = "Pass all nodes and their links, as in { nodes: ['a', 'b'], links: [['a', 'b', 1]] }";
const FUNCTION = 'a function';

test.each<[option: string, values: readonly unknown[], answer: string]>([
  ['transport', [undefined], 'transport is missing. Pass a transport'],
  ['protocol', [undefined], `protocol is missing. ${PROTOCOL}`],
  [
    'protocol',
    [
      'directory',
      {},
      { ...directoryCore, charts: 'x' },
      { ...directoryCore, accepts: undefined },
      { ...directoryCore, roles: [] },
    ],
    PROTOCOL,
  ],
  ['topology', [undefined], `topology is missing. ${TOPOLOGY}`],
  [
    'topology',
    ['ring', {}, { nodes: 'ab', links: [] }, { nodes: ['a', 1], links: [] }, { nodes: ['a'] }, { nodes: ['a'], links: 'none' }],
    TOPOLOGY,
  ],
  ['options', [7, []], 'Pass an object of options, as in a scenario'],
  ['neighbors', ['b', ['b', 7]], 'Pass a list of ids'],
  ['name', ['', 7], 'Pass a text'],
  ['storage', [{}, { load: () => null }], "Pass a storage for the state of a peer, as in folderStorage('/var/lib/printers/a')"],
  ['nextCommand', [null, 'x'], `Pass ${FUNCTION}`],
  ['clock', [{ now: () => 0 }, 7], 'Pass a scheduler of RxJS'],
  ['crypto', [{}, 7], "Pass Web Crypto, as the platform's own"],
])('an invalid option is refused with an error: %s', (option, values, answer) => {
  for (const value of values) {
    expect(() => check({ [option]: value })).toThrow(`createNode: ${option} `);
    expect(() => check({ [option]: value })).toThrow(answer);
  }
});

test('the required options are enough, and all others may be omitted or passed', () => {
  expect(() => check({})).not.toThrow();
  const rest = {
    options: { hold: null },
    neighbors: ['b'],
    name: 'mine',
    inspect: () => {},
    storage: { load: () => null, save: () => {} },
    resume: {},
    nextCommand: () => null,
  };
  expect(() => check(rest)).not.toThrow();
  for (const option of Object.keys(rest)) expect(() => check({ ...rest, [option]: undefined })).not.toThrow();
  expect(() => check({ anything: 1 })).toThrow('createNode has no option anything');
});
