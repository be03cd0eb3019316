/**
 * The states in which a search begins: those in which the nodes start by themselves, several where a start draws, or, for some of the
 * nodes, every state that the protocol's corruption can choose, with every content of the channels between them.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Corruption, Setup } from '../../machines/protocol.js';
import { everyDraw } from './draws.js';
import type { Model } from './model.js';

export interface FirstState {
  readonly row: readonly number[];
  /** Packets in flight, in the order of sending. */
  readonly sent: readonly number[];
}

/** What a node may begin with: its local state and the packets that it has sent. */
interface NodeStart {
  readonly local: number;
  readonly sent: readonly number[];
}

export function* firstStates(model: Model, setup: Setup, corrupt: readonly NodeId[]): Generator<FirstState> {
  const { system, packets, worlds } = model;
  const { corruption, name } = system.protocol;
  if (corrupt.length > 0 && !corruption)
    throw new UsageError(`protocol ${name} promises nothing after corruption and has no corrupt states`);
  const nodes = system.nodes.map((id, node) =>
    corrupt.includes(id) ? corruptStarts(model, setup, corruption!, node) : ownStarts(model, setup, node),
  );
  const contents = corrupt.length > 0 ? channelContents(model, setup, corruption!, corrupt) : [];
  for (const starts of everyCombination(nodes)) {
    const locals = starts.map(({ local }) => local);
    for (const content of everyCombination(contents)) {
      const sent = [...starts.flatMap((start) => start.sent), ...content.flat()];
      const inOrder = sent.toSorted((a, b) => packets.lane.data[a]! - packets.lane.data[b]!);
      yield { row: [worlds.initial, ...locals, ...inOrder], sent };
    }
  }
}

function ownStarts({ steps, worlds }: Model, setup: Setup, node: number): readonly NodeStart[] {
  const step = steps.ofStart(node, setup);
  return range(steps.first.data[step]!, steps.count.data[step]!).map((outcome) => {
    const letters = range(steps.sentAt.data[outcome]!, steps.sentCount.data[outcome]!).map((i) => steps.sent.data[i]!);
    const sent = letters.map((letter) => worlds.packet(worlds.initial, letter)).filter((packet) => packet !== -1);
    return { local: steps.next.data[outcome]!, sent };
  });
}

function corruptStarts({ system, steps }: Model, setup: Setup, corruption: Corruption<any>, node: number): readonly NodeStart[] {
  const locals = new Set<number>();
  const id = system.nodes[node]!;
  for (const { value } of everyDraw((choose) => corruption.node(id, setup, choose), `node ${id}: its corruption`)) {
    const timers = value.timers
      .map(({ role, timer }) => [role, timer] as const)
      .sort(([a, s], [b, t]) => (`${a} ${s}` < `${b} ${t}` ? -1 : 1));
    locals.add(steps.locals.intern({ node, view: value.roles, timers, reactions: [] }));
  }
  return [...locals].map((local) => ({ local, sent: [] }));
}

/** For each channel between two of the nodes, everything that may be in flight on it. */
function channelContents(
  model: Model,
  setup: Setup,
  corruption: Corruption<any>,
  corrupt: readonly NodeId[],
): readonly (readonly (readonly number[])[])[] {
  const { system, packets, worlds } = model;
  const links = worlds.links(worlds.initial);
  const sender = (from: NodeId, to: NodeId) => (system.protocol.network.addressing === 'ports' ? links.port(to, from) : from);
  const channels = corrupt.flatMap((from) => corrupt.filter((to) => links.up(from, to)).map((to) => [from, to] as const));
  return channels.map(([from, to]) => {
    const contents = new Map<string, readonly number[]>();
    for (const { value } of everyDraw(
      (choose) => corruption.channel(from, to, setup, choose),
      `channel ${from} to ${to}: its corruption`,
    )) {
      const content = value.map((message) =>
        packets.intern({ from: setup.rank(from), to: setup.rank(to), sender: sender(from, to), message }),
      );
      contents.set(content.join(), content);
    }
    return [...contents.values()];
  });
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

function* everyCombination<T>(choices: readonly (readonly T[])[], taken: readonly T[] = []): Generator<readonly T[]> {
  const options = choices[taken.length];
  if (!options) yield taken;
  else for (const option of options) yield* everyCombination(choices, [...taken, option]);
}
