/** What a corruption may leave behind: every state of a node and every content of a channel that the protocol's own can choose. */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Choose, Corruption, Instance } from '../../machines/protocol.js';
import { everyDraw, type DrawOutcome } from './draws.js';
import type { Packets } from './packets.js';
import type { LocalSteps } from './steps.js';
import type { SearchedSystem } from './system.js';
import type { Environments } from './environments.js';

/** The interned parts of a state. */
interface Parts {
  readonly system: SearchedSystem;
  readonly packets: Packets;
  readonly steps: LocalSteps;
  readonly environments: Environments;
}

/** What some of the nodes know after a corruption, and what is in flight between them. */
export interface Corrupted {
  readonly locals: readonly number[];
  readonly packets: readonly number[];
}

/** What is kept in a list is kept this long: more ways than these to fall would be listed forever. */
const WAYS_MAX = 100_000;

/** Every way in which a corruption of these nodes can fall in a environment. */
export function everyCorruption(parts: Parts, nodes: readonly number[], environment: number): readonly Corrupted[] {
  const { instance, nodes: ids } = parts.system;
  const locals = nodes.map((node) => corruptLocals(parts, instance, node));
  const contents = channelContents(
    parts,
    instance,
    nodes.map((node) => ids[node]!),
    environment,
  );
  const ways = [...locals, ...contents].reduce((product, choices) => product * choices.length, 1);
  if (ways > WAYS_MAX) throw tooMany(`a corruption that does not stand first, at ${nodes.map((node) => ids[node]).join(', ')}`);
  const corrupted: Corrupted[] = [];
  for (const chosen of everyCombination(locals)) {
    for (const content of everyCombination(contents)) corrupted.push({ locals: chosen, packets: content.flat() });
  }
  return corrupted;
}

function corruptionOf({ protocol }: SearchedSystem): Corruption<any> {
  if (protocol.corruption) return protocol.corruption;
  throw new UsageError(`protocol ${protocol.name} has no corrupt states; give its checks a corruption`);
}

export function corruptLocals({ system, steps }: Parts, instance: Instance, node: number): readonly number[] {
  const corruption = corruptionOf(system);
  const locals = new Set<number>();
  const id = system.nodes[node]!;
  for (const { value } of everyWay((choose) => corruption.node(id, instance, choose), `node ${id}: its corruption`)) {
    const timers = value.timers
      .map(({ role, timer }) => [role, timer] as const)
      .sort(([a, s], [b, t]) => (`${a} ${s}` < `${b} ${t}` ? -1 : 1));
    locals.add(steps.locals.intern({ node, view: value.roles, timers, reactions: [] }));
  }
  return [...locals];
}

/** For each channel between two of the nodes, everything that may be in flight on it. */
export function channelContents(
  { system, packets, environments }: Parts,
  instance: Instance,
  corrupt: readonly NodeId[],
  environment: number,
): readonly (readonly (readonly number[])[])[] {
  const corruption = corruptionOf(system);
  const links = environments.links(environment);
  const sender = (from: NodeId, to: NodeId) => (system.protocol.network.addressing === 'ports' ? links.port(to, from) : from);
  const channels = corrupt.flatMap((from) => corrupt.filter((to) => links.up(from, to)).map((to) => [from, to] as const));
  return channels.map(([from, to]) => {
    const contents = new Map<string, readonly number[]>();
    for (const { value } of everyWay(
      (choose) => corruption.channel(from, to, instance, choose),
      `channel ${from} to ${to}: its corruption`,
    )) {
      const content = value.map((message) =>
        packets.intern({ from: instance.rank(from), to: instance.rank(to), sender: sender(from, to), message }),
      );
      contents.set(content.join(), content);
    }
    return [...contents.values()];
  });
}

function* everyWay<T>(run: (choose: Choose) => T, what: string): Generator<DrawOutcome<T>> {
  let ways = 0;
  for (const drawn of everyDraw(run, what)) {
    if (ways++ === WAYS_MAX) throw tooMany(what);
    yield drawn;
  }
}

const tooMany = (what: string): UsageError =>
  new UsageError(`${what}: it can fall in more than ${WAYS_MAX} ways; let it strike fewer nodes, or run the scenario many times`);

/** One of each, in every combination; the last ones change first. */
export function* everyCombination<T>(choices: readonly (readonly T[])[]): Generator<readonly T[]> {
  if (choices.some((options) => options.length === 0)) return;
  const at = choices.map(() => 0);
  for (let last = 0; last >= 0;) {
    yield choices.map((options, i) => options[at[i]!]!);
    for (last = choices.length - 1; last >= 0 && ++at[last]! === choices[last]!.length; last--) at[last] = 0;
  }
}
