/**
 * The first states of a search. Nodes start by themselves, with several results if the start draws. Corrupted nodes begin in every state
 * that the protocol's corruption can choose, with every content of the channels between them.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Instance } from '../../machines/protocol.js';
import { channelContents, corruptLocals, everyCombination } from './corruptions.js';
import type { Model } from './model.js';

export interface FirstState {
  readonly row: readonly number[];
  /** Packets in flight, in the order of sending. */
  readonly sent: readonly number[];
}

/** One possible start of a node: its local state and the packets that it has sent. */
interface NodeStart {
  readonly local: number;
  readonly sent: readonly number[];
}

export function* firstStates(model: Model, instance: Instance, corrupt: readonly NodeId[]): Generator<FirstState> {
  const { system, packets, environments } = model;
  const nodes = system.nodes.map((id, node) =>
    corrupt.includes(id)
      ? corruptLocals(model, instance, node).map((local) => ({ local, sent: [] }))
      : ownStarts(model, instance, node),
  );
  const contents = corrupt.length > 0 ? channelContents(model, instance, corrupt, environments.initial) : [];
  for (const starts of everyCombination(nodes)) {
    const locals = starts.map(({ local }) => local);
    for (const content of everyCombination(contents)) {
      const sent = [...starts.flatMap((start) => start.sent), ...content.flat()];
      const inOrder = sent.toSorted((a, b) => packets.lane.data[a]! - packets.lane.data[b]!);
      yield { row: [environments.initial, ...locals, ...inOrder], sent };
    }
  }
}

function ownStarts({ steps, environments }: Model, instance: Instance, node: number): readonly NodeStart[] {
  const step = steps.ofStart(node, instance);
  return range(steps.first.data[step]!, steps.count.data[step]!).map((outcome) => {
    const outgoing = range(steps.sentAt.data[outcome]!, steps.sentCount.data[outcome]!).map((i) => steps.sent.data[i]!);
    const sent = outgoing.map((message) => environments.packet(environments.initial, message)).filter((packet) => packet !== -1);
    return { local: steps.next.data[outcome]!, sent };
  });
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);
