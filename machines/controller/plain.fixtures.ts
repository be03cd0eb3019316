/** The controller's invariants as in the specification, as predicates of a whole configuration: the reference for their totals. */
import type { Property } from '../protocol.js';
import { capacity, LOCAL_LEVEL } from './bins.js';
import type { Controller, ControllerMessage } from './messages.js';
import type { ControllerOptions } from './options.js';
import {
  borne,
  deliveryOf,
  deliveryState,
  depositsOf,
  hasRejected,
  isUnsettled,
  isMember,
  isBroken,
  isWaiting,
  live,
  mainOf,
  pastOf,
  requestOf,
  requestState,
  rootBinOf,
  total,
  type Config,
  type FlightOf,
} from './view.js';

type ControllerProperty = Property<ControllerOptions>;

const flying = <T extends ControllerMessage['type']>(c: Config, ...types: readonly T[]) =>
  c.flights.filter(({ message }) => types.includes(message.type as T)) as FlightOf<Extract<ControllerMessage, { type: T }>>[];

/** True without any failure: no node has crashed, and no part of the tree was cut off. */
const isWhole = (c: Config): boolean =>
  (c.everCrashed ?? []).length === 0 && [...c.nodes.values()].every((node) => !isBroken(node));

const rootState = (c: Config, of: Controller): string => deliveryState(c.nodes.get(c.instance.options.root)!, of);

/** Permits of one controller in the bins below the root's, local and global. */
const inBins = (c: Config, of: Controller): number =>
  total([...c.nodes.values()].map((node) => (requestOf(node, of)?.permits ?? 0) + (deliveryOf(node, of)?.permits ?? 0)));

/** Permits in flight: down to a bin, up from a leaf that left, up in an echo. */
const inFlight = (c: Config, of: Controller): number =>
  total(
    flying(c, 'permit', 'return', 'echo', 'deposits').map(({ message, to }) => {
      if (of !== ('of' in message ? message.of : 'R')) return 0;
      return message.type === 'permit' ? borne(message, c.nodes.get(to)!) : message.permits;
    }),
  );

/** Permits gathered by rejected requests for several permits. They stay at their nodes, for smaller requests. */
const keptBack = (c: Config): number =>
  total([...c.nodes.values()].map((node) => (requestOf(node, 'R')?.hasRejected ? requestOf(node, 'R')!.permits : 0)));

/** Permits gathered by rejected requests at nodes that have left, if still free: at the root, or on their way there. */
const givenBack = (c: Config): number => {
  const nodes = [...c.nodes.values()];
  const free = rootBinOf(c, 'R').permits + collected(c) + total(flying(c, 'return', 'echo', 'deposits').map(permitsOf));
  return Math.min(free, total(nodes.map((node) => pastOf(node).keptBack ?? 0)));
};

const permitsOf = ({ message }: FlightOf<Extract<ControllerMessage, { type: 'return' | 'echo' | 'deposits' }>>): number =>
  'of' in message && message.of !== 'R' ? 0 : message.permits;

/** Permits of R given to applications, minus the deposits of leaves that left. */
const issued = (c: Config): number =>
  total([...c.nodes.values()].map((node) => (requestOf(node, 'R')?.issued ?? 0) + pastOf(node).issued));

/** Deposits outside of the root's bin, and all deposits so far. */
const inDeposits = (c: Config): number =>
  total([...c.nodes.values()].map((node) => (depositsOf(node)?.local ?? 0) + (depositsOf(node)?.global ?? 0)));
const deposited = (c: Config): number => total([...c.nodes.values()].map((node) => depositsOf(node)?.deposited ?? 0));

/** Permits collected for a current change. */
const collected = (c: Config): number => total([...c.nodes.values()].map((node) => mainOf(node)?.permits ?? 0));

/** All permits of R that exist or were given to applications. */
const accounted = (c: Config): number =>
  rootBinOf(c, 'R').permits + inBins(c, 'R') + inDeposits(c) + inFlight(c, 'R') + collected(c) + issued(c);

/** All permits of R so far: the budget and all deposits. */
const supply = (c: Config): number => c.instance.options.M + deposited(c);

const isQuiet = (c: Config): boolean => c.flights.length === 0;

/** Includes nodes that were rejected and have left. */
const rejections = (c: Config): boolean =>
  [...c.nodes.values()].some(hasRejected) || flying(c, 'reject').some(({ message }) => message.of === 'R');

const isSignaled = (c: Config): boolean => rootState(c, 'R') === 'signaled';

/** The printed rule reports exhaustion at the end of every phase. */
const hasSignaled = (c: Config): boolean => isSignaled(c) || c.instance.options.phase?.rule === 'printed';

const waste = (c: Config): number => c.instance.options.M - issued(c) - keptBack(c) - givenBack(c);

const invariants: ControllerProperty[] = [
  {
    name: 'conservation',
    kind: 'always',
    description:
      'Permits in the root bin, in all other bins, on their way and given out are M together, deposits included; never more, and less only where nodes have failed (I1).',
    holds: (c) => (isWhole(c) ? accounted(c) === supply(c) : accounted(c) <= supply(c)),
  },
  {
    name: 'at most M',
    kind: 'always',
    description: 'No more permits are given out than there are (I2, Lemma 4.4.1; for a bank I9: it is never overdrawn).',
    holds: (c) => issued(c) <= supply(c),
  },
  {
    name: 'rejects follow the signal',
    kind: 'always',
    description: 'A request is rejected only after the root has declared the resource exhausted (I3).',
    holds: (c) => !rejections(c) || hasSignaled(c),
  },
  {
    name: 'no request is forgotten',
    kind: 'always',
    description:
      'When no message is in flight, no node waits (I6), except withdrawals that wait for a deposit, and failed nodes.',
    holds: (c) =>
      !isQuiet(c) || isUnsettled(c) || live(c).every(([, node]) => !isWaiting(node, 'N') && (isBank(c) || !isWaiting(node, 'R'))),
  },
  {
    name: 'one request a link',
    kind: 'always',
    description:
      'At most one request of a controller is unanswered on the way up from a node, and only while its process is not idle (I5).',
    holds: (c) => c.instance.options.settings.pipelined || requestsAreSingle(c),
  },
];

const isBank = (c: Config): boolean => c.instance.options.kind === 'bank';

const exhaustion: ControllerProperty[] = [
  {
    name: 'the signal means a reject',
    kind: 'always',
    description: 'When nothing is on its way, the resource is exhausted only if a request was rejected (I3).',
    holds: (c) => !isQuiet(c) || !isSignaled(c) || rejections(c) || !isWhole(c),
  },
  {
    name: 'at most W wasted',
    kind: 'always',
    description:
      'When nothing is on its way after a reject, at least M - W permits are given out (I7, Lemma 4.4.3), or kept for smaller requests where one for several was rejected.',
    holds: (c) => !isQuiet(c) || !rejections(c) || waste(c) <= c.instance.options.W || !isWhole(c),
  },
];

const lateSignal: ControllerProperty = {
  name: 'the signal waits for the permits',
  kind: 'always',
  description: 'The resource is exhausted only once at least M - W permits are given out (section 3).',
  holds: (c) => !isSignaled(c) || waste(c) <= c.instance.options.W || !isWhole(c),
};

const binsFit: ControllerProperty = {
  name: 'bins are empty or half full',
  kind: 'always',
  description: 'A global bin is empty or exactly half full, a local bin of a ready node is not full (I4, Lemma 4.1.3).',
  holds: (c) => binsAreHalfFull(c, 'R') && binsAreHalfFull(c, 'N'),
};

const growth: ControllerProperty = {
  name: 'participants double at least and triple at most',
  kind: 'always',
  description:
    'From one change because of missing joins to the next, the participants of n grow to at least 2n and at most 3n (I10).',
  holds: (c) => {
    const { phase } = mainOf(c.nodes.get(c.instance.options.root)!)!;
    if (phase?.cause !== 'N' || !isWhole(c)) return true;
    const grown = phase.n + phase.departed;
    return grown >= 2 * phase.previous! && grown <= 3 * phase.previous!;
  },
};

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
const solvent: ControllerProperty = {
  name: 'a withdrawal waits only for a deposit',
  kind: 'always',
  description: 'When nothing is on its way and a withdrawal waits, less than W is left, what it has gathered apart (I9).',
  holds: (c) => {
    const waiting = [...c.nodes.values()].filter((node) => isWaiting(node, 'R'));
    const gathered = waiting.reduce((sum, node) => sum + requestOf(node, 'R')!.permits, 0);
    return (
      c.flights.length > 0 ||
      !isWhole(c) ||
      waiting.length === 0 ||
      supply(c) - issued(c) - gathered < Math.max(1, c.instance.options.W)
    );
  },
};

const uniqueShortNames: ControllerProperty[] = [
  {
    name: 'names are unique',
    kind: 'always',
    description: 'No name is given twice (I8).',
    holds: (c) => {
      const names = namesOf(c);
      return new Set(names).size === names.length;
    },
  },
  {
    name: 'names are short',
    kind: 'always',
    description: 'Every name is below four times the number of participants, names given to applications counted (6.2, E18).',
    holds: (c) => {
      const names = namesOf(c);
      return !isWhole(c) || names.every((name) => name < 4 * names.length);
    },
  },
];

/** Names of participants, of leaves that are being welcomed, and names taken by applications. */
function namesOf(c: Config): number[] {
  const names: (number | null)[] = flying(c, 'welcome').map(({ message }) => message.name);
  for (const node of c.nodes.values()) {
    names.push(mainOf(node)?.name ?? null, ...pastOf(node).names, ...(requestOf(node, 'N')?.names ?? []));
  }
  return names.filter((name) => name !== null);
}

/** All invariants, for every kind of controller. */
export const plainProperties: readonly ControllerProperty[] = [
  ...invariants,
  ...exhaustion,
  solvent,
  lateSignal,
  binsFit,
  growth,
  ...uniqueShortNames,
];
