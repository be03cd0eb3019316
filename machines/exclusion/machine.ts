/**
 * Local mutual exclusion: a node locks itself and all persistent neighbors while links change.
 *
 * Paper: Daymude, Richa, Scheideler, "Local Mutual Exclusion for Dynamic, Anonymous, Bounded Memory Message Passing Systems", Algorithms 1
 * to 3, with the corrections without which it deadlocks; `printed.ts` is the algorithm to the letter. Assumes anonymous nodes that
 * distinguish links only by port numbers; messages in any order, none lost on a link that stays; no failures. A cut loses the messages on
 * the link, and its `link.down` precedes all messages of a later link on the same port.
 *
 * A node is initiator and participant at once. The initiator (the paper's `state`):
 *
 *   idle      has no request
 *   prepare   announced its request to its ports; waits for all to be ready
 *   compete   drew a priority and sent it to every port; waits for all outcomes, and draws again if any was lost
 *   win       won everywhere; waits until all have set their lock
 *   locked    holds itself and every neighbor left in its request
 *   unlock    released them; waits until all have acknowledged
 * The participant (the paper's `phase`):
 *
 *   idle      no node requests its lock
 *   prepare   applicants were notified of ready and have not applied yet
 *   compete   candidates contend; exactly while C is not empty. Newcomers are on hold until it is
 * Variables have the paper's letters. Invariants: A, C, H are disjoint, P is a subset of C, R and W of L; L contains 0 until the request
 * ends; a trial is decided only when each candidate has a priority. The winner of the last trial has no new priority until it sets the
 * lock, so a second one cannot win before.
 *
 * Departures (numbers are those of the errata in docs/exclusion.md). (1) A first request that arrives while another candidate has no
 * priority is refused at once: waiting for it closes a cycle. (2, 3, 4, 7) The step that notices a cut cleans up, in every state, so no set
 * D of old disconnections exists, and calls without effect are not steps. The rest of CleanUp, admitting nodes on hold when C becomes
 * empty, is an eventless transition, hence done once for the node. (6) Messages to port 0 travel like all others.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, draw, type DrawnEvent, effects, type LinkEvent, type Received, send, withEvent } from '../effects.js';
import {
  has,
  including,
  joined,
  uniqueMaximum,
  without,
  withoutValue,
  withValue,
  type ByPort,
  type PortNumber,
  type Ports,
} from './ports.js';

/** Types of the messages without content, by sender: initiator, participant. */
export const initiatorMessages = ['prepare', 'setLock', 'release'] as const;
export const participantMessages = ['ready', 'ackLock', 'ackRelease'] as const;

export type ExclusionMessage =
  | { readonly type: (typeof initiatorMessages)[number] | (typeof participantMessages)[number] }
  | { readonly type: 'request'; readonly priority: number }
  | { readonly type: 'win'; readonly won: boolean };

export const ruleSets = ['corrected', 'deferred', 'printed'] as const;
export type Rules = (typeof ruleSets)[number];

export interface ExclusionInput {
  readonly rules: Rules;
  /** Number of different priorities (K, at least 2). */
  readonly priorities: number;
  /** Ports in use. */
  readonly ports: Ports;
}

export interface ExclusionContext extends ExclusionInput {
  /** Holder of this node: a port, 0 for the node itself. */
  readonly lock: PortNumber | null;
  /** Initiator: the ports of the current request. */
  readonly L: Ports;
  /** Initiator: the ports of L that have answered the current step. */
  readonly R: Ports;
  /** Initiator: the outcomes of the current trial. */
  readonly W: ByPort<boolean>;
  /** Participant: applicants that were notified of ready and have not applied yet. */
  readonly A: Ports;
  /** Participant: candidates that have requested and not locked yet. */
  readonly C: Ports;
  /** Participant: priorities of the candidates that have one. */
  readonly P: ByPort<number>;
  /** Participant: on hold until C is empty. */
  readonly H: Ports;
}

type FromPort<M extends ExclusionMessage = ExclusionMessage> = Received<M, PortNumber>;
type ReceivedRequest = FromPort<Extract<ExclusionMessage, { type: 'request' }>>;
type ReceivedWin = FromPort<Extract<ExclusionMessage, { type: 'win' }>>;
type Change = LinkEvent<PortNumber>;

/** `ports` selects some of the ports in use; the node itself is always part of a request. */
export interface LockCall {
  readonly type: 'lock';
  readonly ports?: Ports;
}

export type ExclusionEvent = FromPort | LockCall | { readonly type: 'unlock' } | Change | DrawnEvent;

/**
 * Notification of an exclusion node to its application: it has locked the neighbors behind these ports, or released them.
 *
 * @public
 */
export type ExclusionNotification = { readonly type: 'locked'; readonly ports: Ports } | { readonly type: 'unlocked' };

type In<E = unknown> = { context: ExclusionContext; event: E };

export const toAll =
  <T extends (typeof initiatorMessages)[number]>(type: T) =>
  ({ context }: In) => ({ to: context.L, message: { type } });
export const toSender =
  <T extends (typeof participantMessages)[number]>(type: T) =>
  ({ event }: In<FromPort>) => ({ to: event.from, message: { type } });
export const readyToHeld = ({ context }: In) => ({ to: context.H, message: { type: 'ready' as const } });
export const priority = ({ context }: In) => ({ bound: context.priorities });
export const requests = ({ context, event }: In<DrawnEvent>) => ({
  to: context.L,
  message: { type: 'request' as const, priority: event.value },
});
const refusal = ({ event }: In<FromPort>) => ({ to: event.from, message: { type: 'win' as const, won: false } });
export const victory = ({ context }: In) => ({ to: winner(context) ?? [], message: { type: 'win' as const, won: true } });
export const defeats = ({ context }: In) => ({
  to: context.C.filter((port) => port !== winner(context)),
  message: { type: 'win' as const, won: false },
});

/** Candidate that wins the trial, when all priorities are known. */
function winner({ lock, P }: ExclusionContext): PortNumber | null {
  return lock === null ? uniqueMaximum(P) : null;
}

export const initialContext = (input: ExclusionInput): ExclusionContext => ({
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

/** Changes to the context when the link at a port is lost. */
export const forgotten = (context: ExclusionContext, port: PortNumber) => ({
  lock: context.lock === port ? null : context.lock,
  L: without(context.L, port),
  R: without(context.R, port),
  W: withoutValue(context.W, port),
  A: without(context.A, port),
  C: without(context.C, port),
  P: withoutValue(context.P, port),
  H: without(context.H, port),
});

/** XState setup that the charts of all three rule sets share. */
export const exclusionSetup = setup({
  types: chartTypes<{
    context: ExclusionContext;
    events: ExclusionEvent;
    input: ExclusionInput;
    emitted: ExclusionNotification;
  }>(),
  actions: {
    ...effects<ExclusionMessage>(),
    plugIn: assign(({ context }, { peer }: Change) => ({ ports: including(context.ports, peer) })),
    unplug: assign(({ context }, { peer }: Change) => ({ ports: without(context.ports, peer), ...forgotten(context, peer) })),
    begin: assign(({ context }, { ports }: LockCall) => ({ L: joined([0], ports ?? context.ports) })),
    noteAnswer: assign(({ context }, { from }: FromPort) => ({ R: including(context.R, from) })),
    clearAnswers: assign({ R: [] }),
    noteOutcome: assign(({ context }, { from, won }: ReceivedWin) => ({ W: withValue(context.W, from, won) })),
    clearOutcomes: assign({ W: [] }),
    announceLock: emit(({ context }) => ({ type: 'locked' as const, ports: context.L })),
    announceUnlock: emit({ type: 'unlocked' }),
    end: assign({ L: [] }),
    apply: assign(({ context }, { from }: FromPort) => ({ A: including(context.A, from) })),
    hold: assign(({ context }, { from }: FromPort) => ({ H: including(context.H, from) })),
    admitHeld: assign(({ context }) => ({ A: joined(context.A, context.H), H: [] })),
    promote: assign(({ context }, { from }: FromPort) => ({ A: without(context.A, from), C: including(context.C, from) })),
    notePriority: assign(({ context }, { from, priority }: ReceivedRequest) => ({ P: withValue(context.P, from, priority) })),
    closeTrial: assign({ P: [] }),
    setLock: assign(({ context }, { from }: FromPort) => ({ lock: from, C: without(context.C, from) })),
    free: assign({ lock: null }),
  },
  guards: {
    asksForPortsInUse: ({ context }, { ports = [] }: LockCall) => ports.every((port) => context.ports.includes(port)),
    isAwaited: ({ context: { L, R } }, { from }: FromPort) => L.includes(from) && !R.includes(from),
    allHaveAnswered: ({ context }) => context.R.length === context.L.length,
    outcomeIsAwaited: ({ context: { L, W } }, { from }: FromPort) => L.includes(from) && !has(W, from),
    hasWon: ({ context }) => context.W.length === context.L.length && context.W.every(([, won]) => won),
    hasLost: ({ context }) => context.W.length === context.L.length && context.W.some(([, won]) => !won),
    isNewcomer: ({ context: { ports, A, C, H } }, { from }: FromPort) =>
      (from === 0 || ports.includes(from)) && ![A, C, H].some((known) => known.includes(from)),
    isApplicant: ({ context }, { from }: FromPort) => context.A.includes(from),
    isLateApplicant: ({ context: { A, C, P } }, { from }: FromPort) => A.includes(from) && C.length > P.length,
    isExpectedFrom: ({ context: { C, P } }, { from }: FromPort) => C.includes(from) && !has(P, from),
    trialIsComplete: ({ context: { rules, lock, C, P } }) => C.length === P.length && (rules !== 'deferred' || lock === null),
    noApplicants: ({ context }) => context.A.length === 0,
    noCandidates: ({ context }) => context.C.length === 0,
    isHolder: ({ context }, { from }: FromPort) => context.lock === from,
  },
});

/**
 * Chart of one node, initiator and participant at once (Daymude, Richa, Scheideler, Algorithms 1 to 3, with corrections). `exclusion` runs
 * it.
 *
 * @public
 */
export const exclusionMachine = exclusionSetup.createMachine({
  id: 'exclusion',
  context: ({ input }) => initialContext(input),
  type: 'parallel',
  on: { 'link.up': { actions: withEvent('plugIn') }, 'link.down': { actions: withEvent('unplug') } },
  states: {
    initiator: {
      initial: 'idle',
      states: {
        idle: {
          on: {
            lock: {
              guard: withEvent('asksForPortsInUse'),
              target: 'prepare',
              actions: [withEvent('begin'), send(toAll('prepare'))],
            },
          },
        },
        prepare: {
          on: { ready: { guard: withEvent('isAwaited'), actions: withEvent('noteAnswer') } },
          always: { guard: 'allHaveAnswered', target: 'compete', actions: 'clearAnswers' }, // CheckStart
        },
        compete: {
          entry: draw(priority),
          on: {
            drawn: { actions: send(requests) },
            win: { guard: withEvent('outcomeIsAwaited'), actions: withEvent('noteOutcome') },
          },
          always: [
            { guard: 'hasLost', target: 'compete', reenter: true, actions: 'clearOutcomes' }, // CheckWin
            { guard: 'hasWon', target: 'win', actions: ['clearOutcomes', send(toAll('setLock'))] },
          ],
        },
        win: {
          on: { ackLock: { guard: withEvent('isAwaited'), actions: withEvent('noteAnswer') } },
          always: { guard: 'allHaveAnswered', target: 'locked', actions: ['clearAnswers', 'announceLock'] }, // CheckDone
        },
        locked: { on: { unlock: { target: 'unlock', actions: send(toAll('release')) } } },
        unlock: {
          on: { ackRelease: { guard: withEvent('isAwaited'), actions: withEvent('noteAnswer') } },
          always: { guard: 'allHaveAnswered', target: 'idle', actions: ['clearAnswers', 'end', 'announceUnlock'] }, // CheckUnlocked
        },
      },
    },
    participant: {
      initial: 'idle',
      on: { release: { guard: withEvent('isHolder'), actions: ['free', send(toSender('ackRelease'))] } },
      states: {
        idle: {
          on: {
            prepare: {
              guard: withEvent('isNewcomer'),
              target: 'prepare',
              actions: [withEvent('apply'), send(toSender('ready'))],
            },
          },
        },
        prepare: {
          on: {
            prepare: { guard: withEvent('isNewcomer'), actions: [withEvent('apply'), send(toSender('ready'))] },
            request: {
              guard: withEvent('isApplicant'),
              target: 'compete',
              actions: [withEvent('promote'), withEvent('notePriority')],
            },
          },
          always: { guard: 'noApplicants', target: 'idle' },
        },
        compete: {
          on: {
            prepare: { guard: withEvent('isNewcomer'), actions: withEvent('hold') },
            request: [
              { guard: withEvent('isLateApplicant'), actions: [withEvent('promote'), send(refusal)] }, // erratum 1
              { guard: withEvent('isApplicant'), actions: [withEvent('promote'), withEvent('notePriority')] },
              { guard: withEvent('isExpectedFrom'), actions: withEvent('notePriority') },
            ],
            setLock: { guard: withEvent('isExpectedFrom'), actions: [withEvent('setLock'), send(toSender('ackLock'))] },
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
