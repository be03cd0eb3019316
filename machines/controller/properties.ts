/**
 * The invariants I1 to I10 of the controller (spec section 7) and its liveness (C4), as named properties of every configuration.
 *
 * What the spec says of a quiescent system is said here of a configuration without messages in flight: nothing can move in it but an
 * application. Nodes that fail are outside the paper: what holds then is said where it is less.
 */
import type { NodeId } from '../effects.js';
import type { NodeView, Property, Instance } from '../protocol.js';
import { solvent, uniqueShortNames } from './applications/properties.js';
import { capacity, LOCAL_LEVEL } from './bins.js';
import type { Controller } from './messages.js';
import type { ControllerOptions } from './options.js';
import {
  accounted,
  deliveryOf,
  deliveryState,
  flying,
  isExhausted,
  isMember,
  isSevered,
  isWaiting,
  isWhole,
  issued,
  keptBack,
  mainOf,
  requestOf,
  requestState,
  rootState,
  supply,
  type Config,
} from './view.js';

type ControllerProperty = Property<ControllerOptions>;

const isQuiet = (c: Config): boolean => c.flights.length === 0;

const rejections = (c: Config): boolean =>
  [...c.nodes.values()].some(isExhausted) || flying(c, 'reject').some(({ message }) => message.of === 'R');

const isSignalled = (c: Config): boolean => rootState(c, 'R') === 'signalled';

/** The printed rule says so at the end of every phase. */
const hasSignalled = (c: Config): boolean => isSignalled(c) || c.instance.options.phase?.rule === 'printed';

const waste = (c: Config): number => c.instance.options.M - issued(c) - keptBack(c);

const invariants: ControllerProperty[] = [
  {
    name: 'conservation',
    kind: 'always',
    says: 'Permits in the root bin, in all other bins, on their way and given out are M together, deposits included; never more, and less only where nodes have failed (I1).',
    holds: (c) => (isWhole(c) ? accounted(c) === supply(c) : accounted(c) <= supply(c)),
  },
  {
    name: 'at most M',
    kind: 'always',
    says: 'No more permits are given out than there are (I2, Lemma 4.4.1; for a bank I9: it is never overdrawn).',
    holds: (c) => issued(c) <= supply(c),
  },
  {
    name: 'rejects follow the signal',
    kind: 'always',
    says: 'A request is rejected only after the root has said that the resource is exhausted (I3).',
    holds: (c) => !rejections(c) || hasSignalled(c),
  },
  {
    name: 'nobody is forgotten',
    kind: 'always',
    says: 'When nothing is on its way, nobody waits (I6), withdrawals that wait for a deposit apart, and nodes that failed.',
    holds: (c) =>
      !isQuiet(c) || isFailing(c) || live(c).every(([, node]) => !isWaiting(node, 'N') && (isBank(c) || !isWaiting(node, 'R'))),
  },
  {
    name: 'one request a link',
    kind: 'always',
    says: 'At most one request of a controller is unanswered on the way up from a node, and only while its process is not idle (I5).',
    holds: (c) => c.instance.options.settings.pipelined || requestsAreSingle(c),
  },
];

const live = (c: Config): [NodeId, NodeView][] => [...c.nodes].filter(([id]) => !c.crashed?.includes(id));

const isBank = (c: Config): boolean => c.instance.options.kind === 'bank';

const exhaustion: ControllerProperty[] = [
  {
    name: 'the signal means a reject',
    kind: 'always',
    says: 'When nothing is on its way, the resource is exhausted only if a request was rejected (I3).',
    holds: (c) => !isQuiet(c) || !isSignalled(c) || rejections(c) || !isWhole(c),
  },
  {
    name: 'at most W wasted',
    kind: 'always',
    says: 'When nothing is on its way after a reject, at least M - W permits are given out (I7, Lemma 4.4.3), or kept for smaller requests where one for several was rejected.',
    holds: (c) => !isQuiet(c) || !rejections(c) || waste(c) <= c.instance.options.W || !isWhole(c),
  },
];

const lateSignal: ControllerProperty = {
  name: 'the signal waits for the permits',
  kind: 'always',
  says: 'The resource is exhausted only once at least M - W permits are given out (section 3).',
  holds: (c) => !isSignalled(c) || waste(c) <= c.instance.options.W || !isWhole(c),
};

const binsFit: ControllerProperty = {
  name: 'bins are empty or half full',
  kind: 'always',
  says: 'A global bin is empty or exactly half full, a local bin of a ready node is not full (I4, Lemma 4.1.3).',
  holds: (c) => binsAreHalfFull(c, 'R') && binsAreHalfFull(c, 'N'),
};

const growth: ControllerProperty = {
  name: 'participants double at least and triple at most',
  kind: 'always',
  says: 'From one change for want of joins to the next, the participants of n grow to at least 2n and at most 3n (I10).',
  holds: (c) => {
    const { phase } = mainOf(c.nodes.get(c.instance.options.root)!)!;
    if (phase?.cause !== 'N' || !isWhole(c)) return true;
    const grown = phase.n + phase.departed;
    return grown >= 2 * phase.previous! && grown <= 3 * phase.previous!;
  },
};

const answered = (of: Controller, name: string, says: string): ControllerProperty => ({
  name,
  kind: 'eventually',
  says,
  when: (c, node) => isWaiting(c.nodes.get(node)!, of) && !isFailing(c) && !c.crashed?.includes(node),
  holds: (c, node) => !isWaiting(c.nodes.get(node)!, of),
});

export function controllerProperties({ options: { kind, phase, settings } }: Instance<ControllerOptions>): ControllerProperty[] {
  return [
    ...invariants,
    ...(kind === 'bank' ? [solvent] : exhaustion),
    ...(phase?.late ? [lateSignal] : []),
    ...(kind === 'naive' || kind === 'bins' || settings.pipelined ? [] : [binsFit]),
    ...(kind === 'names' ? uniqueShortNames : []),
    ...(phase ? [growth, answered('N', 'every join is permitted', 'Who asks for a join or a name gets it (C4).')] : []),
    ...(kind === 'bank' ? [] : [answered('R', 'every request is answered', 'Who asks for a permit gets it or a reject (C4).')]),
  ];
}

/** Some node has failed, and one next to it in the tree does not know it yet. */
function isFailing(c: Config): boolean {
  const isDown = (id: NodeId): boolean => c.crashed?.includes(id) ?? false;
  return live(c).some(([id, node]) => {
    if (!isMember(node)) return false;
    const { parent, children } = mainOf(node)!;
    const isCutOff = parent !== null && (isDown(parent) || !c.links.up(parent, id));
    return isCutOff || children.some((child) => isDown(child) || isSevered(c.nodes.get(child)!));
  });
}

function requestsAreSingle(c: Config): boolean {
  const up = flying(c, 'request').filter(({ from }) => isMember(c.nodes.get(from)!));
  const keys = up.map(({ from, message }) => `${message.of} ${from}`);
  return (
    new Set(keys).size === keys.length &&
    up.every(({ from, message }) => !deliveryState(c.nodes.get(from)!, message.of).endsWith('idle'))
  );
}

function binsAreHalfFull(c: Config, of: Controller): boolean {
  for (const node of c.nodes.values()) {
    const request = requestOf(node, of);
    if (!request) continue;
    if (requestState(node, of) === 'ready' && request.permits >= capacity(request.scale, LOCAL_LEVEL)) return false;
    const delivery = deliveryOf(node, of);
    if (!delivery) continue;
    const { permits, scale, level } = delivery;
    const size = capacity(scale, level!);
    if (permits !== 0 && (size === 1 || permits !== size / 2)) return false;
  }
  return true;
}
