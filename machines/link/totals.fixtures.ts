/** Runs of links with injected damage, for the two forms of their properties. */
import { compareForms, type Twist } from '../../network/damaged.fixtures.js';
import { link } from './index.js';
import { plainProperties } from './plain.fixtures.js';

const tight = { window: 2, room: 2, patience: 2, beat: 20 };
const bad = { latency: { min: 1, max: 9 }, order: 'unordered', loss: 0.1, duplicate: 0.2 };
const change = (at: number, how: 'cut' | 'join', u: string, v: string) => ({ at, do: how, link: [u, v] });
const ended = (at: number, node: string, how: 'leave' | 'restart', peer: string) => ({ at, node, do: how, peer });

/** One message after the other from each of these nodes to the next, and back. */
const posts = (nodes: readonly string[]) =>
  Array.from({ length: 40 }, (_, body) => {
    const at = body % nodes.length;
    const [node, next] = [nodes[at]!, nodes[(at + 1) % nodes.length]!];
    const [from, peer] = body % 3 === 0 ? [next, node] : [node, next];
    return { at: 3 * body, node: from, do: 'post', peer, body: body % 7 };
  });
const inOrder = (events: readonly { readonly at: number }[]) => events.toSorted((a, b) => a.at - b.at);

const until = { at: 300 };
const scenarios = [
  { topology: { kind: 'path', n: 2 }, options: tight, network: bad, events: posts(['n0', 'n1']), until },
  {
    topology: { kind: 'path', n: 2 },
    options: { ...tight, windowSize: 3, roomSize: 4 },
    events: inOrder([...posts(['n0', 'n1']), ended(50, 'n0', 'restart', 'n1'), ended(90, 'n1', 'leave', 'n0')]),
    until,
  },
  // Frames that do not arrive directly are relayed.
  {
    topology: { kind: 'complete', n: 3 },
    options: { ...tight, patience: 4 },
    network: bad,
    events: inOrder([...posts(['n0', 'n1', 'n2']), change(10, 'cut', 'n0', 'n1'), change(150, 'join', 'n0', 'n1')]),
    until,
  },
];

/** An end that counts differently, keeps other messages, or knows another session. */
const ends: Twist = (roles, random) => {
  const name = random.pick(Object.keys(roles));
  const role = roles[name]!;
  const { session, theirs, expected } = role.context;
  const some = Array.from({ length: random.below(6) }, () => random.below(3));
  const what = random.pick([
    { outbox: some },
    { outbox: some, sent: random.below(5) },
    { expected: random.below(4), base: random.below(4) },
    { latest: session + random.below(3) - 1 },
    { theirs: random.pick([null, session, theirs]), expected: expected + 1 },
    { windowSize: random.below(3), roomSize: 1 + random.below(3) },
  ]);
  return { ...roles, [name]: { ...role, context: { ...role.context, ...what } } };
};

export const compareLinks = (comparisonsMin: number, seed: number) =>
  compareForms(link, scenarios, { plain: plainProperties, comparisonsMin, seed, twists: [ends], turnsLinks: true });
