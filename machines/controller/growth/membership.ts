/**
 * A node's part in the tree and in its changes: its children, and the counting and redistribution of permits.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 5 (MAIN) and 6.1 (MODIFIED); spec sections 4 and 5. The root starts a change when one of
 * its bins is short: it collects the contents of all bins and counts the participants, a wave down and an echo up. Then it sends the terms
 * of the next phase down. Assumes FIFO links, and that the failure of a node takes its links down.
 *
 * States:
 *
 *   running     requests and joins are served
 *   collecting  the node is frozen and waits for the echoes of its children
 *   settling    all have echoed; its parts complete their pending requests and return their bins
 *   echoed      its holdings are on their way up; waits for the new terms
 *   leaving     a leaf on its way out: its parts return their bins, all within one step
 *   outside     has left
 *   severing    its link to its parent went down, or its parent was severed: its parts close, all within one step
 *   severed     no longer participates
 * Invariant: `children` are all nodes whose parent is this node, and `awaiting` of them have not echoed.
 *
 * Departures. The paper has no mechanism that ensures that permits have arrived (E16): here a node echoes only when no request is pending.
 * A child that joins a frozen node is asked for its echo at once. Leaving is not in the paper (E19): a leaf sends its permits and then its
 * farewell to the root; its parent counts the farewell as a pending echo. A node that has lost a child stays, since requests for that child
 * may still be in flight. Failures are not in the paper either. A child whose link goes down is removed, so that no change waits for it,
 * and the permits below it are lost. At the other end of the link, a node without a way to the root, and its whole subtree, stop
 * participating: they would miss the next terms. A node whose link is already down does not join: it would not receive a welcome, and the
 * next change would wait for its echo.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type LinkEvent, type NodeId, type Received, send, withEvent } from '../../effects.js';
import {
  newChild,
  type Depleted,
  type Joined,
  type MainContext,
  type MainEvent,
  memberContext,
  type MainInput,
  type MainNotification,
  pastWith,
} from './member.js';
import type { ControllerMessage, Echo, Epoch, Leave, Settled, Severed } from '../messages.js';
import { nextPhase, termsOf } from './phases.js';
import {
  closeParts,
  collectFromAll,
  collectFromChild,
  depart,
  echoToParent,
  freeze,
  goodbye,
  goOutside,
  newTerms,
  renewAll,
  returned,
  settleClients,
  sever,
  severedAgain,
  severedBelow,
  welcome,
} from './waves.js';

const resume = [send(newTerms), ...renewAll] as const;
const admit = [send(welcome), withEvent('announceChild'), 'addChild'] as const;
const admitFrozen = [send(welcome), send(collectFromChild), withEvent('announceChild'), 'awaitChild', 'addChild'] as const;
const beginChange = [send(collectFromAll), freeze, 'awaitChildren'] as const;

/** A node that does not participate ignores these events. */
const apart = { 'link.down': {}, 'link.up': {}, severed: {} } as const;

/**
 * Chart of a node's part in the tree and in its changes: its children, and the counting and redistribution of permits.
 *
 * @public
 */
export const mainMachine = setup({
  types: chartTypes<{ context: MainContext; events: MainEvent; input: MainInput; emitted: MainNotification }>(),
  actions: {
    ...effects<ControllerMessage>(),
    addChild: assign(({ context }) => ({
      children: [...context.children, newChild(context)],
      vacant: context.vacant.slice(1),
      born: context.born + (context.vacant.length === 0 ? 1 : 0),
    })),
    removeChild: assign(({ context }, { from, departed }: Received<Leave>) => ({
      children: without(context.children, from),
      awaiting: without(context.awaiting, from),
      vacant: [...context.vacant, from],
      departed: context.departed + departed,
    })),
    noteCause: assign((_, { of }: Depleted) => ({ cause: of })),
    loseChild: assign(({ context }, { peer }: LinkEvent<NodeId>) => ({
      children: without(context.children, peer),
      awaiting: without(context.awaiting, peer),
      lost: [...context.lost, peer],
    })),
    giveUp: assign(({ context }, { peer }: LinkEvent<NodeId>) => ({ vacant: without(context.vacant, peer) })),
    awaitChildren: assign(({ context }) => ({ awaiting: context.children })),
    awaitChild: assign(({ context }) => ({ awaiting: [...context.awaiting, newChild(context)] })),
    addEcho: assign(({ context }, { count, departed, permits, from }: Received<Echo>) => ({
      awaiting: without(context.awaiting, from),
      count: context.count + count,
      departed: context.departed + departed,
      permits: context.permits + permits,
    })),
    awaitParts: assign(({ context }) => ({ unsettled: context.settings.parts })),
    addPart: assign(({ context }, { part, permits, names, signaled }: Settled) => ({
      unsettled: context.unsettled.filter((other) => other !== part),
      // Permits that N has left are not carried over.
      permits: context.permits + (part === 'N' ? 0 : permits),
      members: part === 'N' ? names.length : context.members,
      signaled: context.signaled || signaled,
    })),
    strikeOff: assign(({ context }, settled: Settled) => ({
      unsettled: context.unsettled.filter((other) => other !== settled.part),
      past: pastWith(context.past, settled),
    })),
    addLoss: assign(({ context }, { part, permits }: Settled) => ({ permits: context.permits + (part === 'N' ? 0 : permits) })),
    forgetChildren: assign({ children: [], awaiting: [] }),
    forgetHoldings: assign({ count: 0, departed: 0, permits: 0, unsettled: [] }),
    planNext: assign(({ context: { phase, count, members, departed, permits, cause, signaled } }) => {
      const next = nextPhase(phase!, { n: count + members + 1, departed, remaining: permits }, cause!, signaled);
      return { phase: next, terms: termsOf(next) };
    }),
    adoptTerms: assign((_, { terms }: Epoch) => ({ terms })),
    announceChild: emit(({ context }, { name }: Joined) => ({ type: 'joined' as const, child: newChild(context), name })),
    announceLeft: emit({ type: 'left' }),
    announceStayed: emit({ type: 'stayed' }),
    announceSevered: emit(({ context }) => ({ type: 'severed' as const, permits: context.permits })),
  },
  guards: {
    mayLeave: ({ context: { parent, children, lost, name } }) =>
      parent !== null && children.length + lost.length === 0 && name === null,
    isFromParent: ({ context }, { from }: Received<Severed>) => from === context.parent,
    leadsToParent: ({ context }, { peer }: LinkEvent<NodeId>) => peer === context.parent,
    leadsToChild: ({ context }, { peer }: LinkEvent<NodeId>) => context.children.includes(peer),
    leadsToLost: ({ context }, { peer }: LinkEvent<NodeId>) => context.lost.includes(peer),
    allEchoed: ({ context }) => context.awaiting.length === 0,
    isLastPart: ({ context }, { part }: Settled) => context.unsettled.every((other) => other === part),
    isLastOfRoot: ({ context }, { part }: Settled) =>
      context.parent === null && context.unsettled.every((other) => other === part),
  },
}).createMachine({
  id: 'main',
  context: ({ input }) => memberContext(input),
  initial: 'running',
  on: {
    'link.down': [
      { guard: withEvent('leadsToParent'), target: '.severing' },
      { guard: withEvent('leadsToChild'), actions: withEvent('loseChild') },
      { actions: withEvent('giveUp') },
    ],
    'link.up': { guard: withEvent('leadsToLost'), actions: send(severedAgain) },
    severed: { guard: withEvent('isFromParent'), target: '.severing' },
  },
  states: {
    running: {
      on: {
        collect: { target: 'collecting', actions: beginChange },
        depleted: { target: 'collecting', actions: [withEvent('noteCause'), ...beginChange] },
        joined: { actions: admit },
        leave: { actions: withEvent('removeChild') },
        depart: [{ guard: 'mayLeave', target: 'leaving' }, { actions: 'announceStayed' }],
        settled: { actions: send(returned) },
      },
    },
    collecting: {
      always: { guard: 'allEchoed', target: 'settling' },
      on: {
        echo: { actions: withEvent('addEcho') },
        leave: { actions: withEvent('removeChild') },
        joined: { actions: admitFrozen },
        settled: { actions: withEvent('addPart') },
      },
    },
    settling: {
      entry: ['awaitParts', settleClients],
      on: {
        settled: [
          {
            guard: withEvent('isLastOfRoot'),
            target: 'running',
            actions: [withEvent('addPart'), 'planNext', 'forgetHoldings', ...resume],
          },
          {
            guard: withEvent('isLastPart'),
            target: 'echoed',
            actions: [withEvent('addPart'), send(echoToParent), 'forgetHoldings'],
          },
          { actions: withEvent('addPart') },
        ],
        joined: { target: 'collecting', actions: admitFrozen },
        rested: { target: 'settling', reenter: true },
      },
    },
    echoed: { on: { epoch: { target: 'running', actions: [withEvent('adoptTerms'), ...resume] } } },
    leaving: {
      entry: ['awaitParts', depart],
      on: {
        settled: [
          {
            guard: withEvent('isLastPart'),
            target: 'outside',
            actions: [withEvent('strikeOff'), send(returned), send(goodbye), 'announceLeft', ...goOutside],
          },
          { actions: [withEvent('strikeOff'), send(returned)] },
        ],
        busy: { target: 'running', actions: 'announceStayed' },
      },
    },
    severing: {
      entry: [send(severedBelow), 'awaitParts', sever],
      on: {
        settled: [
          {
            guard: withEvent('isLastPart'),
            target: 'severed',
            actions: [withEvent('strikeOff'), withEvent('addLoss'), 'announceSevered', 'forgetChildren', ...closeParts],
          },
          { actions: [withEvent('strikeOff'), withEvent('addLoss')] },
        ],
      },
    },
    severed: { on: apart },
    outside: { on: apart },
  },
});

const without = (nodes: readonly NodeId[], node: NodeId): NodeId[] => nodes.filter((other) => other !== node);
