/**
 * Checks the packed library under Bun and Deno, which npm installs into a separate folder. Every entry is imported, a lock is taken over
 * the in-process bus and over a WebSocket hub, a scenario is simulated and one checked, and the command runs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RUNTIMES = { bun: ['run'], deno: ['run', '--allow-all'] };
const MINUTES_MAX = 15;

const program = (entries) => `
import assert from 'node:assert/strict';
import { parseScenario } from 'xstate-quiver/network';
import { directory, protocols } from 'xstate-quiver/machines';
import { simulate } from 'xstate-quiver';
import { InProcessBus, linked, webSocket } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { webSocketHub } from 'xstate-quiver/transports/node';
import { checkScenario } from 'xstate-quiver/check';

const late = setTimeout(() => { console.error('nothing more happened'); process.exit(1); }, ${MINUTES_MAX * 60_000});
for (const entry of ${JSON.stringify(entries)}) await import(entry);

const peers = ['a', 'b', 'c'];
const bus = new InProcessBus();
const hub = await webSocketHub({ port: 0 });
for (const transportOf of [
  (id) => bus.transport(id),
  (id) => linked(webSocket({ id, url: 'ws://127.0.0.1:' + hub.port }), { peers }),
]) {
  const [first, second] = peers.map((id) => createLocks({ transport: transportOf(id), peers }));
  const fences = [];
  for (const locks of [first, second]) await locks.request('jobs', async ({ fence }) => fences.push(fence));
  assert(fences[1] > fences[0], 'fences ' + fences);
}

const network = { topology: { kind: 'ring', n: 8 }, workload: { concurrent: 4, requests: 100 } };
const { verdict, messages } = simulate({ protocol: directory, ...network });
const printed = { topology: { kind: 'path', n: 2 }, options: { priorities: 2, rules: 'printed' } };
const events = ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' }));
const found = checkScenario(parseScenario({ protocol: 'exclusion', ...printed, events }, protocols));
console.log(JSON.stringify({ verdict, messages: messages.total, checked: found.verdict, states: found.states, steps: found.counterexample.steps.length }));
clearTimeout(late);
process.exit();
`;

const NODE_22 = `node-${process.platform}-${process.arch}`;
/** A module that requires a Node version that strips types. */
const TYPED = `
import { setup } from 'xstate';
interface Door { readonly opened: number }
export const door = setup({ types: {} as { context: Door; events: { type: 'PUSH' } } }).createMachine({
  id: 'door', context: { opened: 0 }, initial: 'shut', states: { shut: { on: { PUSH: 'open' } }, open: { on: { PUSH: 'shut' } } },
});
`;

/** docs/own-protocol.md: a module in TypeScript is taken as it is by Node 22.18 and later. */
function checkTypeScript(node, folder, run) {
  writeFileSync(join(folder, 'door.mts'), TYPED);
  writeFileSync(join(folder, 'service.mts'), 'export const service: { main(): void } = { main() {} };\n');
  for (const args of [
    ['test', 'door.mts'],
    ['rehearse', 'service.mts', '--runs', '2'],
  ]) {
    const printed = run(node, ['node_modules/xstate-quiver/dist/bin/quiver.js', ...args], folder);
    if (!/^valid/m.test(printed)) throw new Error(`quiver ${args.join(' ')} under Node 22 printed\n${printed}`);
  }
}

/** Runs in a folder with the packed library; `entries` are those that need no optional package. */
export function checkRuntimes(folder, entries, run) {
  const own = join(folder, 'runtimes');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', 'bun@1', 'deno@2', `${NODE_22}@22`], own);
  checkTypeScript(join(own, 'node_modules', NODE_22, 'bin/node'), folder, run);
  writeFileSync(join(folder, 'everywhere.mjs'), program(entries));
  // Node 20 has no WebSocket; the page of the transports contains the remedy.
  const expected = run('node', ['--import', './socket.mjs', 'everywhere.mjs'], withSocket(folder));
  for (const [name, args] of Object.entries(RUNTIMES)) {
    const runtime = join(own, 'node_modules/.bin', name);
    const printed = run(runtime, [...args, 'everywhere.mjs'], folder);
    if (printed !== expected) throw new Error(`${name} printed\n${printed}\nbut Node printed\n${expected}`);
    const version = run(runtime, [...args, 'node_modules/xstate-quiver/dist/bin/quiver.js', '--version'], folder);
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`quiver --version under ${name} printed ${version}`);
  }
  return `under ${Object.keys(RUNTIMES).join(' and ')} the same as under Node`;
}

function withSocket(folder) {
  writeFileSync(join(folder, 'socket.mjs'), `import { WebSocket } from 'ws';\nglobalThis.WebSocket ??= WebSocket;\n`);
  return folder;
}
