/**
 * Arbitrary but well-typed states of local mutual exclusion. A node's program is not corrupt, so its variables fit its two states. A
 * request is for all ports in use, answers and outcomes are of some of them, every port has at most one part as a participant. The holder,
 * received answers and messages on links are arbitrary. The paper promises nothing after a corruption: docs/exclusion.md describes what
 * recovers.
 */
import type { NodeId } from '../effects.js';
import type { Choose, Corruption, Instance, NodeState } from '../protocol.js';
import {
  initialContext,
  initiatorMessages,
  participantMessages,
  type ExclusionContext,
  type ExclusionMessage,
} from './machine.js';
import type { ExclusionOptions } from './options.js';
import { joined, type ByPort, type PortNumber, type Ports } from './ports.js';
import { EXCLUSION } from './view.js';

type ExclusionInstance = Instance<ExclusionOptions>;

const INITIATOR = ['idle', 'prepare', 'compete', 'win', 'locked', 'unlock'] as const;

export const exclusionCorruption: Corruption<ExclusionOptions> = {
  isSurvived: false,
  node: arbitraryNode,
  channel: arbitraryChannel,
};

function arbitraryNode(id: NodeId, { options }: ExclusionInstance, choose: Choose): NodeState {
  const { rules, priorities, inUse } = options;
  const ports = inUse[id]!;
  const all = joined([0], ports);
  const initiator = INITIATOR[choose(INITIATOR.length)]!;
  const holder = choose(all.length + 1);
  const participant = arbitraryParticipant(all, priorities, choose);
  const context: ExclusionContext = {
    ...initialContext({ rules, priorities, ports }),
    lock: all[holder] ?? null,
    L: initiator === 'idle' ? [] : all,
    ...arbitraryAnswers(initiator, all, choose),
    ...participant,
  };
  const value = { initiator, participant: phaseOf(participant) };
  const chart = rules === 'printed' ? 'printed' : EXCLUSION;
  return { roles: { [EXCLUSION]: { chart, value, context } }, timers: [] };
}

/** Answers received in the current phase. They are incomplete, otherwise the phase would be over. */
function arbitraryAnswers(
  initiator: (typeof INITIATOR)[number],
  all: Ports,
  choose: Choose,
): Partial<Pick<ExclusionContext, 'R' | 'W'>> {
  if (initiator === 'idle' || initiator === 'locked') return {};
  // An arbitrary port has not answered.
  const silent = all[choose(all.length)]!;
  const others = all.filter((port) => port !== silent);
  if (initiator !== 'compete') return { R: others.filter(() => choose(2) === 1) };
  const outcomes = others.map((port) => [port, choose(3)] as const).filter(([, outcome]) => outcome > 0);
  return { W: outcomes.map(([port, outcome]) => [port, outcome === 1]) };
}

type Participant = Pick<ExclusionContext, 'A' | 'C' | 'H' | 'P'>;

const phaseOf = ({ A, C }: Participant): 'idle' | 'prepare' | 'compete' =>
  C.length > 0 ? 'compete' : A.length > 0 ? 'prepare' : 'idle';

/** Each port is unknown, an applicant, a candidate or on hold. Candidates have a priority or not, and at least one has none. */
function arbitraryParticipant(all: Ports, priorities: number, choose: Choose): Participant {
  const parts = all.map((port) => [port, choose(4)] as const);
  const of = (part: number): PortNumber[] => parts.filter(([, own]) => own === part).map(([port]) => port);
  const C = of(2);
  const owing = C.length > 0 ? C[choose(C.length)] : undefined;
  const P: ByPort<number> = C.filter((port) => port !== owing && choose(2) === 1).map((port) => [port, choose(priorities)]);
  return C.length > 0 ? { A: of(1), C, H: of(3), P } : { A: joined(of(1), of(3)), C, H: [], P };
}

function arbitraryChannel(_from: NodeId, _to: NodeId, { options }: ExclusionInstance, choose: Choose): ExclusionMessage[] {
  const plain = [...initiatorMessages, ...participantMessages];
  const kind = choose(plain.length + 3);
  if (kind < plain.length) return [{ type: plain[kind]! }];
  if (kind === plain.length) return [{ type: 'request', priority: choose(options.priorities) }];
  return kind === plain.length + 1 ? [{ type: 'win', won: choose(2) === 1 }] : [];
}
