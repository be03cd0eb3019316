/** The inspector's view of a run: bins fill and drain, requests go up, permits go down, exhaustion spreads as a wave. */
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

interface Shown {
  readonly tones: string;
  readonly bins: Readonly<Record<string, number>>;
  readonly sent: readonly string[];
}

function show(options: object, events: object[], n = 4): Shown[] {
  const scenario = { protocol: 'controller', topology: { kind: 'path', n }, options, events };
  const simulation = new Simulation(parseScenario(scenario, { controller }), { host: 'snapshots' });
  const shown: Shown[] = [];
  const c = simulation.configuration;
  simulation.network.steps$.subscribe(({ sent }) => {
    const overlays = [...c.nodes].map(([id, node]) => [id, controller.overlay!(node, id, c.links, c)] as const);
    const gauges = overlays.flatMap(([id, { gauges = [] }]) =>
      gauges.map(({ name, value }) => [`${id} ${name}`, value] as const),
    );
    shown.push({
      tones: overlays.map(([, { tone }]) => tone).join(' '),
      bins: Object.fromEntries(gauges),
      sent: sent.map(({ from, to, message }) => `${message.type} ${from} ${to}`),
    });
  });
  simulation.run();
  return shown;
}

const takes = (node: string, ...times: number[]) => times.map((at) => ({ at, node, do: 'take' }));

test('a request climbs, a permit falls and fills the bins, takes drain them', () => {
  const shown = show({ kind: 'basic', M: 200, W: 200 }, takes('n3', 0, 20, 21, 22));
  expect(shown.flatMap(({ sent }) => sent)).toEqual([
    'request n3 n2',
    'request n2 n1',
    'request n1 n0',
    'permit n0 n1',
    'permit n1 n2',
    'permit n2 n3',
  ]);
  const course = (bin: string) => shown.map(({ bins }) => bins[bin]).filter((value, i, all) => value !== all[i - 1]);
  expect(course('n0 budget')).toEqual([200, 184]);
  expect(course('n3 global bin')).toEqual([0, 4]);
  expect(course('n3 local bin')).toEqual([0, 3, 2, 1, 0]);
});

test('exhaustion spreads as a wave from below the root to all requesters', () => {
  const shown = show({ kind: 'basic', M: 0 }, takes('n3', 0));
  expect(shown.map(({ tones }) => tones)).toEqual([
    'plain plain plain waiting',
    'plain plain active waiting',
    'plain active active waiting',
    'plain active active waiting',
    'plain plain active waiting',
    'plain plain plain waiting',
    'plain plain plain wrong',
  ]);
});

test('a change runs down the tree and up again; a node that is cut off is marked', () => {
  const halving = show({ kind: 'modified', M: 5, W: 0 }, takes('n1', ...Array.from({ length: 6 }, (_, i) => 10 * i)), 3);
  expect(halving.some(({ tones }) => tones === 'held held held')).toBe(true);
  expect(halving.at(-1)!.tones).toBe('plain wrong plain');
  const cut = show({ kind: 'basic', M: 9 }, [{ at: 1, do: 'cut', link: ['n1', 'n2'] }]);
  expect(cut.at(-1)!.tones).toBe('plain plain wrong wrong');
});
