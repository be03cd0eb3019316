/** Ends whose peer has crashed, is cut off or has left: a run comes to rest, and every interleaving keeps its promises. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { link } from './index.js';

const tight = { window: 1, room: 1, patience: 2, beat: 20 };
const pair = { kind: 'path', n: 2 };
const ring = { kind: 'ring', n: 3 };
const post = (at: number, node: string, peer: string) => ({ at, node, do: 'post', peer, body: 1 });
const cut = (at: number, u: string, v: string) => ({ at, do: 'cut', link: [u, v] });
const leave = (at: number, node: string, peer: string) => ({ at, node, do: 'leave', peer });

describe.each<[string, object, readonly object[]]>([
  ['that has crashed', { topology: pair, options: tight }, [post(0, 'n0', 'n1'), { at: 50, node: 'n1', do: 'crash' }]],
  [
    'that has crashed with a message of its own',
    { topology: pair, options: tight },
    [post(50, 'n1', 'n0'), { at: 50, node: 'n1', do: 'crash' }],
  ],
  ['that is cut off', { topology: pair, options: tight }, [post(0, 'n0', 'n1'), cut(50, 'n0', 'n1')]],
  [
    'that is cut off, while the third node has left',
    { topology: ring, options: { ...tight, patience: 4 } },
    [cut(0, 'n0', 'n2'), post(0, 'n0', 'n2'), leave(0, 'n1', 'n0'), leave(0, 'n1', 'n2')],
  ],
  [
    'that is cut off, and no node relays',
    { topology: ring, options: { ...tight, relay: false } },
    [cut(0, 'n0', 'n2'), post(0, 'n0', 'n2')],
  ],
])('a peer %s', (_, system, events) => {
  const scenario = parseScenario({ protocol: 'link', ...system, events, until: { idle: true } }, { link });

  test('a run comes to rest', () => {
    const simulation = new Simulation(scenario);
    simulation.start();
    let steps = 0;
    while (steps < 2000 && simulation.advance()) steps++;
    const { verdict, properties } = simulation.finish();
    const violated = properties.flatMap(({ name, holds }) => (holds === false ? [name] : []));
    expect({ verdict, violated, isOver: steps < 2000 }).toEqual({ verdict: 'valid', violated: [], isOver: true });
  });

  test('every interleaving keeps the promises', () => {
    const { verdict, counterexample } = checkScenario(scenario, { bounds: { states: 8000 } });
    expect({ isInvalid: verdict === 'invalid', property: counterexample?.property }).toEqual({
      isInvalid: false,
      property: undefined,
    });
  });
});
