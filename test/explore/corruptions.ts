/**
 * The states that a corruption can produce: every state of a node and every content of a channel that the protocol's corruption
 * can draw.
 */
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

/** One result of a corruption: the local states of the corrupted nodes and the packets in flight between them. */
export interface Corrupted {
  readonly locals: readonly number[];
  readonly packets: readonly number[];
}

/** The maximum number of results that are listed; a corruption with more would take forever. */
const RESULTS_MAX = 100_000;

/** All results that a corruption of these nodes can have in an environment. */
export function everyCorruption(parts: Parts, nodes: readonly number[], environment: number): readonly Corrupted[] {
  const { instance, nodes: ids } = parts.system;
  const locals = nodes.map((node) => corruptLocals(parts, instance, node));
  const contents = channelContents(
    parts,
    instance,
    nodes.map((node) => ids[node]!),
    environment,
  );
  const count = [...locals, ...contents].reduce((product, choices) => product * choices.length, 1);
  if (count > RESULTS_MAX) throw tooMany(`the corruption after the first event, at ${nodes.map((node) => ids[node]).join(', ')}`);
  const corrupted: Corrupted[] = [];
  for (const chosen of everyCombination(locals)) {
    for (const content of everyCombination(contents)) corrupted.push({ locals: chosen, packets: content.flat() });
  }
  return corrupted;
}

function corruptionOf({ protocol }: SearchedSystem): Corruption {
  if (protocol.corruption) return protocol.corruption;
  throw new UsageError(`Protocol ${protocol.name} does not define a corruption. Add "corruption" to its checks.`);
}

export function corruptLocals({ system, steps }: Parts, instance: Instance, node: number): readonly number[] {
  const corruption = corruptionOf(system);
  const locals = new Set<number>();
  const id = system.nodes[node]!;
  for (const { value } of everyResult((choose) => corruption.node(id, instance, choose), `the corruption of node ${id}`)) {
    const timers = value.timers
      .map(({ role, timer }) => [role, timer] as const)
      .sort(([a, s], [b, t]) => (`${a} ${s}` < `${b} ${t}` ? -1 : 1));
    locals.add(steps.locals.intern({ node, view: value.roles, timers, reactions: [] }));
  }
  return [...locals];
}

/** For each channel between two of the nodes, every content that the corruption can choose. */
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
    for (const { value } of everyResult(
      (choose) => corruption.channel(from, to, instance, choose),
      `the corruption of channel ${from} to ${to}`,
    )) {
      const content = value.map((message) =>
        packets.intern({ from: instance.rank(from), to: instance.rank(to), sender: sender(from, to), message }),
      );
      contents.set(content.join(), content);
    }
    return [...contents.values()];
  });
}

function* everyResult<T>(run: (choose: Choose) => T, where: string): Generator<DrawOutcome<T>> {
  let count = 0;
  for (const drawn of everyDraw(run, where)) {
    if (count++ === RESULTS_MAX) throw tooMany(where);
    yield drawn;
  }
}

const tooMany = (where: string): UsageError =>
  new UsageError(
    `${where} has more than ${RESULTS_MAX} possible results, too many to check. ` +
      'Corrupt fewer nodes, or run the scenario with many seeds instead.',
  );

/** Every combination of one item from each list; the last item changes first. */
export function* everyCombination<T>(choices: readonly (readonly T[])[]): Generator<readonly T[]> {
  if (choices.some((options) => options.length === 0)) return;
  const at = choices.map(() => 0);
  for (let last = 0; last >= 0;) {
    yield choices.map((options, i) => options[at[i]!]!);
    for (last = choices.length - 1; last >= 0 && ++at[last]! === choices[last]!.length; last--) at[last] = 0;
  }
}
