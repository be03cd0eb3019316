/** Reports of transitions and guards, compared with the chart itself: its assignments and guards record when they run. */
import { assign, createMachine, type AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { createHost, type HostKind } from './world/hosts.js';
import { Random } from './random.js';
import { Recorder } from './recorder.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';
import { isStep } from './trace.js';
import { selectedIn } from './world/selected-in.js';
import type { TransitionId } from './world/selections.js';

const nameOf = ([, state, event, index]: TransitionId): string => `${state}|${event}|${index}`;

/** A chart whose choices and guards record their evaluation; guards return the event's bits. */
function witness() {
  const took: string[] = [];
  const denied: string[] = [];
  let bit = 0;
  const choice = (place: string, target: string | readonly string[] | undefined, isGuarded = true, more: object = {}) => {
    const mine = bit++;
    return {
      ...(target === undefined ? {} : { target }),
      ...(isGuarded
        ? {
            guard: ({ event }: any) => {
              const holds = ((event.bits >> (mine % 16)) & 1) === 1;
              if (!holds) denied.push(place);
              return holds;
            },
          }
        : {}),
      actions: assign(() => (took.push(place), {})),
      ...more,
    };
  };
  const c = (
    state: string,
    event: string,
    ...choices: [target: string | readonly string[] | undefined, isGuarded?: boolean, more?: object][]
  ) => choices.map((one, i) => choice(`${state}|${event}|${i}`, ...one));
  const machine = createMachine({
    id: 'witness',
    type: 'parallel',
    on: {
      // The exact type is evaluated first, then the longer descriptors: not in this order.
      '*': c('', '*', [undefined]),
      'out.*': c('', 'out.*', [undefined]),
      'out.now.*': c('', 'out.now.*', [undefined]),
      'out.now': c('', 'out.now', ['#witness.left'], ['#witness.right.off']),
      both: c('', 'both', ['#witness.right.off'], ['#witness.left', true, { reenter: true }]),
    },
    states: {
      left: {
        initial: 'a',
        on: { go: c('left', 'go', ['.b'], [undefined, false]) },
        states: {
          a: {
            on: {
              go: c('left.a', 'go', ['b'], ['inner', true, { reenter: true }]),
              both: c('left.a', 'both', ['b'], [undefined]),
            },
          },
          b: {
            on: {
              'out.*': c('left.b', 'out.*', ['a'], ['#witness.right.off']),
              both: c(
                'left.b',
                'both',
                ['#witness.left.inner'],
                ['#witness.left.b'],
                ['#witness.left.b', true, { reenter: true }],
              ),
            },
          },
          inner: {
            initial: 'x',
            on: { back: c('left.inner', 'back', ['a']) },
            states: {
              x: { on: { go: c('left.inner.x', 'go', ['y'], ['#witness.left.a']) } },
              y: {
                on: {
                  back: c('left.inner.y', 'back', ['x'], ['past']),
                  both: c('left.inner.y', 'both', ['past'], ['#witness'], [undefined]),
                },
              },
              past: { type: 'history' },
            },
          },
        },
      },
      right: {
        initial: 'off',
        on: { both: c('right', 'both', ['#witness.left.b'], ['.on']) },
        states: {
          off: {
            on: {
              go: c('right.off', 'go', ['on']),
              both: c('right.off', 'both', ['#witness.left.inner.past'], [['#witness.left.b', '#witness.right.on']]),
            },
          },
          on: {
            on: {
              go: c('right.on', 'go', ['off'], ['#witness.left'], [undefined]),
              both: c('right.on', 'both', [['#witness.right.on', '#witness.left.inner.y']], ['#witness.right.on']),
            },
          },
        },
      },
    },
  });
  return { machine: machine as AnyStateMachine, took, denied };
}

describe.each(['snapshots', 'actors'] as const)('%s', (kind: HostKind) => {
  test('a random walk: selections reported as taken ran, refused ones returned false', () => {
    const { machine, took, denied } = witness();
    // Providing copies a chart, and its functions stay the same.
    const host = createHost(kind, { charts: { witness: machine } });
    host.selections!.watch(selectedIn);
    const { role } = host.start('witness', undefined, 'n', 'witness');
    host.selections!.take();
    const random = new Random(1, 'walk');
    const seen = new Set<string>();
    for (let n = 0; n < 1000; n++) {
      took.length = denied.length = 0;
      const before = role.view().value;
      const event = { type: random.pick(['go', 'both', 'back', 'out.now', 'out']), bits: random.below(65_536) };
      role.send(event);
      const notified = host.selections!.take()!;
      const step = [before, event];
      expect([...step, notified.taken.map(nameOf)]).toEqual([...step, took]);
      // Regions are evaluated one after the other; XState may evaluate a surrounding state twice.
      expect([...step, [...new Set(notified.refused.map(nameOf))].sort()]).toEqual([...step, [...new Set(denied)].sort()]);
      for (const name of took) seen.add(name);
    }
    expect(seen.size).toBeGreaterThan(34);
  });

  test('refusals are reported in order of evaluation: innermost and most specific first', () => {
    const no = () => false;
    const machine = createMachine({
      initial: 'outer',
      on: { 'go.*': { guard: no, target: '.over' }, go: { guard: no, target: '.over' } },
      states: {
        outer: {
          initial: 'inner',
          on: { '*': { guard: no, target: 'over' }, go: [{ guard: no, target: 'over' }, { target: 'over' }] },
          states: { inner: { on: { go: { guard: no, target: '#(machine).over' } } } },
        },
        over: { on: { go: [{ guard: no, target: 'outer' }, { guard: no }] } },
      },
    }) as AnyStateMachine;
    const host = createHost(kind, { charts: { order: machine } });
    host.selections!.watch(selectedIn);
    const { role } = host.start('order', undefined, 'n', 'mine');
    host.selections!.take();
    role.send({ type: 'go' });
    expect(host.selections!.take()).toEqual({
      taken: [['mine', 'outer', 'go', 1]],
      refused: [
        ['mine', 'outer.inner', 'go', 0],
        ['mine', 'outer', 'go', 0],
      ],
    });
    role.send({ type: 'go' });
    expect(host.selections!.take()).toEqual({
      taken: [],
      refused: [
        ['mine', 'over', 'go', 0],
        ['mine', 'over', 'go', 1],
        ['mine', '', 'go', 0],
        ['mine', '', 'go.*', 0],
      ],
    });
  });

  test('each microstep of a step, with its role; none without a listener', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { always: { target: 'b' } },
        b: { on: { go: 'c' } },
        c: { always: [{ guard: () => false, target: 'a' }, { target: 'd' }] },
        d: {},
      },
    }) as AnyStateMachine;
    const host = createHost(kind, { charts: { steps: machine } });
    const stop = host.selections!.watch(selectedIn);
    const { role } = host.start('steps', undefined, 'n', 'mine');
    expect(host.selections!.take()).toEqual({ taken: [['mine', 'a', '', 0]], refused: [] });
    role.send({ type: 'go' });
    expect(host.selections!.take()).toEqual({
      taken: [
        ['mine', 'b', 'go', 0],
        ['mine', 'c', '', 1],
      ],
      refused: [['mine', 'c', '', 0]],
    });
    role.send({ type: 'go' });
    expect(host.selections!.take()).toEqual({ taken: [], refused: [] });
    stop();
    expect(host.selections!.take()).toBeUndefined();
  });

  test('a trace contains them, line by line', () => {
    const json = {
      protocol: 'directory',
      options: { policy: 'arrow' },
      topology: { kind: 'path', n: 2 },
      workload: { sequential: ['n1'] },
    };
    const simulation = new Simulation(parseScenario(json, { directory }), { host: kind });
    const lines: string[] = [];
    const names = (transitions: readonly TransitionId[] = []) => transitions.map(nameOf).join(' ');
    const recorder = new Recorder(simulation.network, directory, simulation.monitor);
    recorder.lines$.subscribe((line) => {
      if (!isStep(line)) lines.push(`${line.kind} ${line.verdict}`);
      else lines.push(`${line.node} ${names(line.taken)}${line.refused?.length ? `, not ${names(line.refused)}` : ''}`);
    });
    recorder.conclude(simulation.run());
    expect(lines).toEqual([
      'n0 starting||0',
      'n1 starting||1, not starting||0',
      'n1 idle|request|0',
      'n0 holding.idle|find|1, not holding.idle|find|0',
      'n1 waiting.last|token|0',
      'n1 holding.using.last|release|0',
      'verdict valid',
    ]);
  });
});
