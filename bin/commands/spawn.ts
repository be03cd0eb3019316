/**
 * `quiver spawn SCENARIO NODE`: one node of a scenario as its own process, on WebSockets.
 *
 * Commands come as lines on standard input (`request`, or JSON with a `do`), notices go as lines of JSON to standard output. The link
 * layer stands between, so that killing a process or the hub is what links that go down are to the charts. Links speak for themselves:
 * a node starts with none, but where the protocol runs on a tree that the options give.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { asyncScheduler } from 'rxjs';
import { linked } from '../../adapters/linked.js';
import { createLocksNode } from '../../adapters/locks/locks-node.js';
import { createNode, type LiveNode } from '../../adapters/node/node.js';
import type { Linked, Transport } from '../../adapters/transports/transport.js';
import { webSocket } from '../../adapters/transports/web-socket.js';
import { inspect } from '../../inspector/live/inspect.js';
import { record } from '../../inspector/live/record.js';
import { fieldsOf, isObject } from '../../machines/checks.js';
import { UsageError, thrownText } from '../../machines/errors.js';
import { locks } from '../../machines/locks/index.js';
import { integerOption } from '../usage.js';
import type { VerbWork } from '../verbs.js';
import { readScenario, type Source } from '../scenarios.js';

/** A peer counts as gone after a second of silence: these processes are on one machine, mostly. */
const DETECTOR = { beatMs: 50, patience: 20 };

const command: VerbWork<'spawn'> = async (values, words) => {
  const [file, id, ...more] = words;
  if (file === undefined || id === undefined || more.length > 0 || (values.url === undefined) === (values.hub === undefined))
    throw new UsageError(
      'quiver spawn takes a scenario, one of its nodes, and either --url or --hub: npx quiver spawn FILE NODE --url ws://…, or npx quiver spawn FILE NODE --hub PORT',
    );
  const source = await readScenario(file, undefined);
  const { topology, rank } = source.scenario.graph;
  if (rank(id) < 0) throw new UsageError(`Unknown node "${id}" in ${file}. Its nodes are ${topology.nodes.join(', ')}.`);
  await using hub = await hubAt(integerOption('hub', values.hub));
  const url = values.url ?? `ws://127.0.0.1:${hub!.port}`;
  const { WebSocket } = await sockets();
  const transport = linked(webSocket({ id, url, WebSocket }), { peers: topology.nodes, ...DETECTOR });
  const node = nodeOf(source, transport);
  const recording = values.trace === undefined ? undefined : recordTo(values.trace, node);
  const print = (line: object) => console.log(JSON.stringify(line));
  node.notifications$.subscribe(print);
  try {
    await node.ready;
    print({ type: 'ready', node: id, url });
    const watched = values.inspect ? await inspect(node) : undefined;
    if (watched) print({ type: 'watched', url: watched.url });
    const error = await Promise.race([node.closed, obey(node, print)]);
    await watched?.close();
    if (error) throw error;
    return 0;
  } catch (error) {
    console.error(`quiver: ${thrownText(error)}`);
    return 1;
  } finally {
    await node.close();
    await transport.close();
    await recording?.close();
  }
};

/** The package is optional for users of other transports. */
async function sockets(): Promise<typeof import('ws')> {
  try {
    return await import('ws');
  } catch {
    throw new UsageError('quiver spawn needs the package ws. Install it: npm install ws');
  }
}

async function hubAt(port: number | undefined) {
  if (port === undefined) return undefined;
  await sockets();
  const { webSocketHub } = await import('../../adapters/transports/web-socket-hub.js');
  return webSocketHub({ port });
}

function nodeOf({ scenario, json }: Source, transport: Transport<Linked>): LiveNode {
  const { protocol, graph, options } = scenario;
  const { nodes, links } = graph.topology;
  if (protocol === locks) return createLocksNode({ transport, peers: nodes, name: 'locks', clock: asyncScheduler });
  const isGivenTree = isObject(options) && 'parents' in options;
  return createNode({
    transport,
    protocol,
    topology: { nodes, links: protocol.network.reach === 'routed' || isGivenTree ? links : [] },
    neighbors: nodes.filter((peer) => links.some(([a, b]) => [a, b].includes(peer) && [a, b].includes(transport.id))),
    options: fieldsOf(fieldsOf(json)['options']),
  });
}

/** Written as it comes: a process that is killed leaves what it has done. */
function recordTo(file: string, node: LiveNode) {
  try {
    writeFileSync(file, '');
  } catch (error) {
    throw new UsageError(`Cannot write ${file} (${thrownText(error)}). Choose a file in an existing folder.`);
  }
  return record(node, (text) => appendFileSync(file, text));
}

/** Executes commands until the process is stopped. */
async function obey(node: LiveNode, print: (line: object) => void): Promise<null> {
  const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
  input.on('line', (line) => {
    try {
      const { do: name, ...fields } = order(line.trim());
      if (name !== '') node.command(name, fields);
    } catch (error) {
      print({ type: 'refused', why: thrownText(error) });
    }
  });
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  input.close();
  return null;
}

function order(text: string): { readonly do: string; readonly [field: string]: unknown } {
  if (!text.startsWith('{')) return { do: text };
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || typeof value['do'] !== 'string')
    throw new UsageError(`${text} has no command. Add a "do" key with the name of a command.`);
  return value as { readonly do: string };
}

export default command;
