/**
 * The invariants I1 to I10 of the controller (spec section 7) and its liveness (C4), as named properties of every configuration.
 *
 * The spec's statements about quiescent systems apply here to configurations without messages in flight: only an application can act in
 * them. Failing nodes are outside the paper; weaker statements about them are marked.
 */
import { always } from '../folded.js';
import type { Property, Instance } from '../protocol.js';
import type { Controller } from './messages.js';
import type { ControllerOptions } from './options.js';
import { fittingFold } from './fitting.js';
import { controllerFold, hasPending, isWhole } from './totals.js';
import { isFailing, isUnsettled, isWaiting, live } from './view.js';

type ControllerProperty = Property<ControllerOptions>;

const promise = always(controllerFold);
const fit = always(fittingFold);

const invariants: ControllerProperty[] = [
  promise(
    'conservation',
    'Permits in the root bin, in all other bins, on their way and given out are M together, deposits included; never more, and less only where nodes have failed (I1).',
    (t, c) => t.accounted === t.supply || (t.accounted < t.supply && !isWhole(t, c)),
  ),
  promise(
    'at most M',
    'No more permits are given out than there are (I2, Lemma 4.4.1; for a bank I9: it is never overdrawn).',
    (t) => t.issued <= t.supply,
  ),
  promise(
    'rejects follow the signal',
    'A request is rejected only after the root has declared the resource exhausted (I3).',
    // The printed rule reports exhaustion at the end of every phase.
    (t) => t.rejections === 0 || t.hasSignaled || t.options.phase?.rule === 'printed',
  ),
  promise(
    'no request is forgotten',
    'When no message is in flight, no node waits (I6), except withdrawals that wait for a deposit, and failed nodes.',
    (t, c) => !t.isQuiet || t.pending === 0 || isUnsettled(c()) || !live(c()).some(([, node]) => hasPending(node, t.options)),
  ),
];

const oneRequest = [
  'one request a link',
  'At most one request of a controller is unanswered on the way up from a node, and only while its process is not idle (I5).',
] as const;

/** Pipelined: a link carries many requests, so this property checks nothing and the checker reports it as vacuous. */
const requestsArePipelined: ControllerProperty = {
  name: oneRequest[0],
  description: oneRequest[1],
  kind: 'always',
  holds: () => true,
};

const exhaustion: ControllerProperty[] = [
  promise(
    'the signal means a reject',
    'When nothing is on its way, the resource is exhausted only if a request was rejected (I3).',
    (t, c) => !t.isQuiet || !t.hasSignaled || t.rejections > 0 || !isWhole(t, c),
  ),
  promise(
    'at most W wasted',
    'When nothing is on its way after a reject, at least M - W permits are given out (I7, Lemma 4.4.3), or kept for smaller requests where one for several was rejected.',
    (t, c) => !t.isQuiet || t.rejections === 0 || t.waste <= t.options.W || !isWhole(t, c),
  ),
];

const lateSignal = promise(
  'the signal waits for the permits',
  'The resource is exhausted only once at least M - W permits are given out (section 3).',
  (t, c) => !t.hasSignaled || t.waste <= t.options.W || !isWhole(t, c),
);

const binsFit = promise(
  'bins are empty or half full',
  'A global bin is empty or exactly half full, a local bin of a ready node is not full (I4, Lemma 4.1.3).',
  (t) => t.misfilled === 0,
);

const growth = promise(
  'participants double at least and triple at most',
  'From one change because of missing joins to the next, the participants of n grow to at least 2n and at most 3n (I10).',
  (t, c) => !t.isMisgrown || !isWhole(t, c),
);

/** Properties of each node and each link, independent of the permits. */
const fits: ControllerProperty[] = [
  fit(
    'every node is in or out',
    'Between two steps a node has the roles of a participant, or those of one that is outside or was cut off (section 2).',
    (t) => t.own.roles === 0,
  ),
  fit(
    'bins follow the terms',
    'All bins of a participant that may be refilled have the sizes of its terms. None may be refilled if the terms declare the resource exhausted (section 5, E14).',
    (t) => t.own.terms === 0,
  ),
  fit(
    'a change holds what is asked',
    'While a change is under way at a node, what its applications ask for is held, and when it is through no more; a node echoes when it has nothing out (section 5, E16).',
    (t) => t.own.freeze === 0,
  ),
  fit('no bin is overdrawn', 'No bin of either controller holds less than nothing (C1).', (t) => t.own.bins === 0),
  fit(
    'who waits is served once',
    'The request of a node is once with its delivery process while it waits for the answer and its bin holds too little, and not there otherwise (Figure 3).',
    (t) => t.own.served === 0,
  ),
  fit(
    'nothing is stuck',
    'When nothing is on its way, every process is idle and no change is under way (Lemma 4.3.1), parked withdrawals apart.',
    (t, c) => !t.isQuiet || t.busy === 0 || !isWhole(t, c) || isFailing(c()),
  ),
  fit(
    'parents know their children',
    'A participant is a child of its parent and one deeper; its children take part, are being welcomed, or have taken their leave (section 2).',
    (t, c) => t.places.areKnown || !isWhole(t, c) || isFailing(c()),
  ),
];

const waves = fit(
  'a change is a wave',
  "A node participates in a change from its parent's message until it echoes, and then waits for the new terms. Otherwise it has the terms of its parent (section 5).",
  (t, c) => t.places.areInStep || !isWhole(t, c) || isFailing(c()),
);

const supervised = fit(
  'requests stop at their supervisor',
  'A request or a deposit passes no bin of the next level, and is on the way up only while its process waits for it (section 4.1, I5).',
  (t, c) => t.astray === 0 || !isWhole(t, c),
);

const passedOn = fit(
  'full deposits are passed on',
  'A deposit bin holds less than its capacity, unless a change is under way (6.3).',
  (t) => t.own.deposits === 0,
);

const named = fit(
  'every participant has a name',
  'Each participant, and each node that is being welcomed, has a name (6.2).',
  (t) => t.own.name === 0 && t.misnamed === 0,
);

const answered = (of: Controller, name: string, description: string): ControllerProperty => ({
  name,
  kind: 'eventually',
  description,
  when: (c, node) => isWaiting(c.nodes.get(node)!, of) && !isFailing(c) && !c.crashed?.includes(node),
  holds: (c, node) => !isWaiting(c.nodes.get(node)!, of),
});

// The two applications promise more: names are unique and short (I8), a bank is solvent (I9).

const solvent = promise(
  'a withdrawal waits only for a deposit',
  'When nothing is on its way and a withdrawal waits, less than W is left, what it has gathered apart (I9).',
  (t, c) => !t.isQuiet || t.waiting === 0 || t.supply - t.issued - t.gathered < Math.max(1, t.options.W) || !isWhole(t, c),
);

const unrejected = promise(
  'a bank rejects nothing',
  'A withdrawal that nothing covers waits, and the bank never ends (6.3).',
  (t) => t.rejections === 0 && !t.hasSignaled,
);

const uniqueShortNames = [
  promise('names are unique', 'No name is given twice (I8).', (t) => t.names.repeated === 0),
  promise(
    'names are short',
    'Every name is below four times the number of participants, names given to applications counted (6.2, E18).',
    (t, c) => t.names.largest < 4 * t.names.count || !isWhole(t, c),
  ),
];

export function controllerProperties({ options: { kind, phase, settings } }: Instance<ControllerOptions>): ControllerProperty[] {
  return [
    ...invariants,
    ...fits,
    supervised,
    settings.pipelined ? requestsArePipelined : promise(...oneRequest, (t) => t.crowded === 0),
    ...(kind === 'bank' ? [solvent, unrejected, passedOn] : exhaustion),
    ...(phase?.late ? [lateSignal] : []),
    ...(kind === 'naive' || kind === 'bins' || settings.pipelined ? [] : [binsFit]),
    ...(kind === 'names' ? [...uniqueShortNames, named] : []),
    ...(phase
      ? [growth, waves, answered('N', 'every join is permitted', 'Each request for a join or a name is granted (C4).')]
      : []),
    ...(kind === 'bank'
      ? []
      : [answered('R', 'every request is answered', 'Each request for a permit is granted or rejected (C4).')]),
  ];
}
