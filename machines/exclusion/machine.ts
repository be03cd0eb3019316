/**
 * Local mutual exclusion: a node locks itself and all neighbours that stay, while links come and go under it.
 *
 * Paper: Daymude, Richa, Scheideler, "Local Mutual Exclusion for Dynamic, Anonymous, Bounded Memory Message Passing Systems",
 * Algorithms 1 to 3, with the corrections without which it deadlocks; `printed.ts` is the algorithm to the letter.
 * Assumes nodes without identities that tell links apart by port numbers only; messages in any order, none lost on a link that
 * stays; a cut link loses what is on it, and its `link.down` comes before anything of a later link on the same port; no failures.
 *
 * A node is initiator and participant at once. The initiator (the paper's `state`):
 *   idle      asks for nothing
 *   prepare   told the ports of its request that it is coming; waits for all to be ready
 *   compete   drew a priority and put it to every port; waits for all outcomes, and draws again if any was lost
 *   win       won everywhere; waits until all have set their lock
 *   locked    itself and every neighbour left in its request are its own
 *   unlock    gave them back; waits until all have acknowledged
 * The participant (the paper's `phase`):
 *   idle      nobody wants its lock
 *   prepare   applicants were told ready and have not asked yet
 *   compete   candidates contend; exactly while C is not empty. Newcomers are on hold until it is
 * Variables have the paper's letters. Invariants: A, C, H are disjoint, P lies within C, R and W within L; L contains 0 until the
 * request ends; a candidate without a priority owes one, and while one owes no trial is decided. The winner of the last trial owes
 * until it sets the lock, so a second one cannot win meanwhile.
 *
 * Departures (numbers are those of the errata in docs/exclusion.md). (1) A first request that comes while another candidate owes is
 * refused at once: waiting for it closes a cycle. (2, 3, 4, 7) A cut is tidied away in the step that notices it, whatever the state,
 * so no set D of old disconnections exists, and calls without effect are no steps. What CleanUp does beyond it, admitting those on
 * hold when C runs empty, is an eventless transition, hence done once for the node. (6) Messages to port 0 travel like all others.
 */
import { assign, emit, setup } from 'xstate';
import { draw, effects, send, type DrawnEvent, type LinkEvent } from '../effects.js';
import {
  has,
  including,
  joined,
  uniqueMaximum,
  without,
  withoutValue,
  withValue,
  type ByPort,
  type Port,
  type Ports,
} from './ports.js';

/** The messages without content, by sender: initiator, participant. */
export const initiatorSays = ['prepare', 'setLock', 'release'] as const;
export const participantSays = ['ready', 'ackLock', 'ackRelease'] as const;

export type ExclusionMessage =
  | { readonly type: (typeof initiatorSays)[number] | (typeof participantSays)[number] }
  | { readonly type: 'request'; readonly priority: number }
  | { readonly type: 'win'; readonly won: boolean };

export const ruleSets = ['corrected', 'deferred', 'printed'] as const;
export type Rules = (typeof ruleSets)[number];

export interface ExclusionInput {
  readonly rules: Rules;
  /** How many different priorities there are (K, at least 2). */
  readonly priorities: number;
  /** The ports that are in use. */
  readonly ports: Ports;
}

export interface ExclusionContext extends ExclusionInput {
  /** Who holds this node: a port, 0 for itself. */
  readonly lock: Port | null;
  /** Initiator: the ports of the request in hand. */
  readonly L: Ports;
  /** Initiator: the ports of L that have answered the current step. */
  readonly R: Ports;
  /** Initiator: the outcomes of the current trial. */
  readonly W: ByPort<boolean>;
  /** Participant: applicants, told ready, yet to ask. */
  readonly A: Ports;
  /** Participant: candidates, have asked, yet to lock. */
  readonly C: Ports;
  /** Participant: the priorities of the candidates that do not owe one. */
  readonly P: ByPort<number>;
  /** Participant: on hold until C is empty. */
  readonly H: Ports;
}

export type Received<M extends ExclusionMessage = ExclusionMessage> = M & { readonly from: Port };
type ReceivedRequest = Received<Extract<ExclusionMessage, { type: 'request' }>>;
type ReceivedWin = Received<Extract<ExclusionMessage, { type: 'win' }>>;

/** `ports` asks for some of the ports in use only; the node itself is always part of a request. */
export interface LockCall {
  readonly type: 'lock';
  readonly ports?: Ports;
}

export type ExclusionEvent = Received | LockCall | { readonly type: 'unlock' } | LinkEvent | DrawnEvent;

export type ExclusionNotice = { readonly type: 'locked'; readonly ports: Ports } | { readonly type: 'unlocked' };

type In<E = unknown> = { context: ExclusionContext; event: E };

const portOf = (event: unknown): Port => (event as Received).from;
const peerOf = (event: unknown): Port => (event as LinkEvent).peer as Port;

export const toAll =
  <T extends (typeof initiatorSays)[number]>(type: T) =>
  ({ context }: In) => ({ to: context.L, message: { type } });
export const toSender =
  <T extends (typeof participantSays)[number]>(type: T) =>
  ({ event }: In<Received>) => ({ to: event.from, message: { type } });
export const readyToHeld = ({ context }: In) => ({ to: context.H, message: { type: 'ready' as const } });
export const priority = ({ context }: In) => ({ bound: context.priorities });
export const requests = ({ context, event }: In<DrawnEvent>) => ({
  to: context.L,
  message: { type: 'request' as const, priority: event.value },
});
const refusal = ({ event }: In<Received>) => ({ to: event.from, message: { type: 'win' as const, won: false } });
export const victory = ({ context }: In) => ({ to: winner(context) ?? [], message: { type: 'win' as const, won: true } });
export const defeats = ({ context }: In) => ({
  to: context.C.filter((port) => port !== winner(context)),
  message: { type: 'win' as const, won: false },
});

/** The candidate that wins the trial, all priorities being here. */
function winner({ lock, P }: ExclusionContext): Port | null {
  return lock === null ? uniqueMaximum(P) : null;
}

export const fresh = (input: ExclusionInput): ExclusionContext => ({
  ...input,
  lock: null,
  L: [],
  R: [],
  W: [],
  A: [],
  C: [],
  P: [],
  H: [],
});

/** Everything that a node forgets when the link at a port is gone. */
export const forgotten = (context: ExclusionContext, port: Port) => ({
  lock: context.lock === port ? null : context.lock,
  L: without(context.L, port),
  R: without(context.R, port),
  W: withoutValue(context.W, port),
  A: without(context.A, port),
  C: without(context.C, port),
  P: withoutValue(context.P, port),
  H: without(context.H, port),
});

/** What the charts of all three rule sets are made of. */
export const exclusionSetup = setup({
  types: {
    context: {} as ExclusionContext,
    events: {} as ExclusionEvent,
    input: {} as ExclusionInput,
    emitted: {} as ExclusionNotice,
  },
  actions: {
    ...effects<ExclusionMessage>(),
    plugIn: assign(({ context, event }) => ({ ports: including(context.ports, peerOf(event)) })),
    unplug: assign(({ context, event }) => ({
      ports: without(context.ports, peerOf(event)),
      ...forgotten(context, peerOf(event)),
    })),
    begin: assign(({ context, event }) => ({ L: joined([0], (event as LockCall).ports ?? context.ports) })),
    noteAnswer: assign(({ context, event }) => ({ R: including(context.R, portOf(event)) })),
    clearAnswers: assign({ R: [] }),
    noteOutcome: assign(({ context, event }) => ({ W: withValue(context.W, portOf(event), (event as ReceivedWin).won) })),
    clearOutcomes: assign({ W: [] }),
    announceLock: emit(({ context }) => ({ type: 'locked' as const, ports: context.L })),
    announceUnlock: emit({ type: 'unlocked' }),
    end: assign({ L: [] }),
    apply: assign(({ context, event }) => ({ A: including(context.A, portOf(event)) })),
    hold: assign(({ context, event }) => ({ H: including(context.H, portOf(event)) })),
    admitHeld: assign(({ context }) => ({ A: joined(context.A, context.H), H: [] })),
    promote: assign(({ context, event }) => ({
      A: without(context.A, portOf(event)),
      C: including(context.C, portOf(event)),
    })),
    notePriority: assign(({ context, event }) => ({
      P: withValue(context.P, portOf(event), (event as ReceivedRequest).priority),
    })),
    closeTrial: assign({ P: [] }),
    setLock: assign(({ context, event }) => ({ lock: portOf(event), C: without(context.C, portOf(event)) })),
    free: assign({ lock: null }),
  },
  guards: {
    asksForPortsInUse: ({ context, event }) => ((event as LockCall).ports ?? []).every((port) => context.ports.includes(port)),
    isAwaited: ({ context, event }) => context.L.includes(portOf(event)) && !context.R.includes(portOf(event)),
    allHaveAnswered: ({ context }) => context.R.length === context.L.length,
    outcomeIsAwaited: ({ context, event }) => context.L.includes(portOf(event)) && !has(context.W, portOf(event)),
    hasWon: ({ context }) => context.W.length === context.L.length && context.W.every(([, won]) => won),
    hasLost: ({ context }) => context.W.length === context.L.length && context.W.some(([, won]) => !won),
    isNewcomer: ({ context: { ports, A, C, H }, event }) => {
      const port = portOf(event);
      return (port === 0 || ports.includes(port)) && ![A, C, H].some((known) => known.includes(port));
    },
    isApplicant: ({ context, event }) => context.A.includes(portOf(event)),
    isLateApplicant: ({ context, event }) => context.A.includes(portOf(event)) && context.C.length > context.P.length,
    owes: ({ context: { C, P }, event }) => C.includes(portOf(event)) && !has(P, portOf(event)),
    trialIsComplete: ({ context: { rules, lock, C, P } }) => C.length === P.length && (rules !== 'deferred' || lock === null),
    noApplicants: ({ context }) => context.A.length === 0,
    noCandidates: ({ context }) => context.C.length === 0,
    isHolder: ({ context, event }) => context.lock === portOf(event),
  },
});

export const exclusionMachine = exclusionSetup.createMachine({
  id: 'exclusion',
  context: ({ input }) => fresh(input),
  type: 'parallel',
  on: {
    'link.up': { actions: 'plugIn' },
    'link.down': { actions: 'unplug' },
  },
  states: {
    initiator: {
      initial: 'idle',
      states: {
        idle: { on: { lock: { guard: 'asksForPortsInUse', target: 'prepare', actions: ['begin', send(toAll('prepare'))] } } },
        prepare: {
          on: { ready: { guard: 'isAwaited', actions: 'noteAnswer' } },
          always: { guard: 'allHaveAnswered', target: 'compete', actions: 'clearAnswers' }, // CheckStart
        },
        compete: {
          entry: draw(priority),
          on: {
            drawn: { actions: send(requests) },
            win: { guard: 'outcomeIsAwaited', actions: 'noteOutcome' },
          },
          always: [
            { guard: 'hasLost', target: 'compete', reenter: true, actions: 'clearOutcomes' }, // CheckWin
            { guard: 'hasWon', target: 'win', actions: ['clearOutcomes', send(toAll('setLock'))] },
          ],
        },
        win: {
          on: { ackLock: { guard: 'isAwaited', actions: 'noteAnswer' } },
          always: { guard: 'allHaveAnswered', target: 'locked', actions: ['clearAnswers', 'announceLock'] }, // CheckDone
        },
        locked: { on: { unlock: { target: 'unlock', actions: send(toAll('release')) } } },
        unlock: {
          on: { ackRelease: { guard: 'isAwaited', actions: 'noteAnswer' } },
          always: { guard: 'allHaveAnswered', target: 'idle', actions: ['clearAnswers', 'end', 'announceUnlock'] }, // CheckUnlocked
        },
      },
    },
    participant: {
      initial: 'idle',
      on: { release: { guard: 'isHolder', actions: ['free', send(toSender('ackRelease'))] } },
      states: {
        idle: { on: { prepare: { guard: 'isNewcomer', target: 'prepare', actions: ['apply', send(toSender('ready'))] } } },
        prepare: {
          on: {
            prepare: { guard: 'isNewcomer', actions: ['apply', send(toSender('ready'))] },
            request: { guard: 'isApplicant', target: 'compete', actions: ['promote', 'notePriority'] },
          },
          always: { guard: 'noApplicants', target: 'idle' },
        },
        compete: {
          on: {
            prepare: { guard: 'isNewcomer', actions: 'hold' },
            request: [
              { guard: 'isLateApplicant', actions: ['promote', send(refusal)] }, // erratum 1
              { guard: 'isApplicant', actions: ['promote', 'notePriority'] },
              { guard: 'owes', actions: 'notePriority' },
            ],
            setLock: { guard: 'owes', actions: ['setLock', send(toSender('ackLock'))] },
          },
          always: [
            { guard: 'noCandidates', target: 'prepare', actions: [send(readyToHeld), 'admitHeld'] },
            { guard: 'trialIsComplete', actions: [send(victory), send(defeats), 'closeTrial'] }, // CheckPriorities
          ],
        },
      },
    },
  },
});
