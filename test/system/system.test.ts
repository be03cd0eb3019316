import { assign, setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { effects, type Message } from '../../machines/effects.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { link } from '../../machines/link/index.js';
import type { Protocol } from '../../machines/protocol.js';
import type { Choice } from '../../network/world/choice.js';
import { checkScenario } from '../explore/scenario.js';
import { toy } from '../explore/toys.fixtures.js';
import { light, lightChart } from '../paths/light.fixtures.js';
import { onProtocol, systemsOf } from './systems.js';
import { systemWalks } from './tours.js';
import { recordWalk, RunningSystem, walkAgain } from './walk.js';

const wordsOf = (choices: readonly Choice[]) => new Set(choices.map((choice) => Object.keys(choice)[0]));

describe('the systems of a protocol', () => {
  test('a protocol without systems gets small topologies with all commands at all nodes', () => {
    expect(systemsOf(light()).map(({ json }) => json['topology'])).toEqual([
      { kind: 'path', n: 2 },
      { kind: 'path', n: 3 },
      { kind: 'ring', n: 3 },
    ]);
    expect(systemsOf(light())[0]!.scenario.events).toHaveLength(4);
  });

  test('a wrong one is reported with its protocol', () => {
    const wrong: Protocol = {
      ...directory,
      systems: [{ topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n7', do: 'request' }] }],
    };
    expect(() => systemsOf(wrong)).toThrow(
      /^a system of protocol directory: events\[0\].node: "n7" is not a node of the topology/,
    );
  });

  test.each([
    { protocol: directory, index: 3 },
    { protocol: exclusion, index: 3 },
    { protocol: exclusion, index: 4 },
    { protocol: link, index: 2 },
  ])('$protocol.name, system $index violates only the property that it is meant to', ({ protocol, index }) => {
    const { scenario, violates } = systemsOf(protocol)[index]!;
    expect(checkScenario(scenario, { bounds: { states: 2500 } }).counterexample?.property).toBe(violates);
  });
});

describe('walks', () => {
  const lossy = onProtocol(
    {
      protocol: 'link',
      topology: { kind: 'path', n: 2 },
      network: { loss: 0.5, duplicate: 0.5 },
      events: [
        { at: 0, node: 'n0', do: 'post', peer: 'n1', body: 1 },
        { at: 0, do: 'cut', link: ['n0', 'n1'] },
        { at: 0, do: 'join', link: ['n0', 'n1'] },
      ],
    },
    link,
  );
  const { walks } = systemWalks({ ...link, systems: [lossy.json as never] });

  test('deliver, lose, double, fire, command and change links, one at a time', () => {
    const made = wordsOf(walks.flatMap(({ choices }) => choices));
    expect([...made].sort()).toEqual(['deliver', 'drop', 'duplicate', 'event', 'notification', 'timer']);
  });

  test('nothing is lost or doubled but by choice', () => {
    const { choices, lines } = recordWalk(walks[0]!, link);
    const counted = (kind: string) => lines.filter((line) => line.includes(`"kind":"${kind}"`)).length;
    const cuts = lines.filter((line) => line.includes('link down')).length;
    expect(counted('lost') - cuts).toBe(choices.filter((choice) => 'drop' in choice).length);
    expect(counted('duplicated')).toBe(choices.filter((choice) => 'duplicate' in choice).length);
  });

  test('each pending reaction comes once', () => {
    const { choices } = systemWalks(directory).walks.find(({ system }) => system.index === 0)!;
    const releases = choices.filter((choice) => 'command' in choice && choice.command[1] === 'release');
    expect(releases.length).toBeGreaterThan(0);
    expect(releases.length).toBeLessThanOrEqual(4);
  });

  test('events of a lane keep their order: a channel goes down before it comes up again', () => {
    const changes = walks.map((walk) => recordWalk(walk, link).lines.filter((line) => line.includes('"kind":"channel"')));
    const ofOne = changes.map((lines) =>
      lines.filter((line) => line.includes('["n0","n1"]')).map((line) => line.includes('"up":true')),
    );
    expect(new Set(ofOne.map(String))).toContain('false,true');
    for (const ups of ofOne) expect([[], [false], [false, true]]).toContainEqual(ups);
  });

  test('draws are part of the walk', () => {
    const { walks } = systemWalks(exclusion);
    expect(walks.some(({ choices }) => choices.some(({ drawn }) => drawn !== undefined))).toBe(true);
  });

  test('are the same whenever they are drawn', () => {
    expect(systemWalks(directory).walks.map(({ choices }) => choices)).toEqual(
      systemWalks(directory).walks.map(({ choices }) => choices),
    );
  });
});

describe('walking again', () => {
  const recorded = systemWalks(light()).walks.map((walk) => recordWalk(walk, light()));

  test.each(['snapshots', 'actors'] as const)('on %s a system repeats its walk', (host) => {
    expect(recorded.map((walk) => walkAgain(walk, light(), host))).toEqual(recorded.map(() => null));
  });

  test('a different effect is reported with its place', () => {
    const quiet = light(lightChart.provide({ actions: { count: assign({ count: 7 }) } }));
    expect(walkAgain(recorded[0]!, quiet, 'snapshots')).toMatch(/instead of .*toy: (green|broken)/);
  });

  test('a choice that is no longer possible is reported', () => {
    const mute = setup({ types: { events: {} as Message }, actions: effects() }).createMachine({});
    expect(walkAgain(recorded[0]!, light(mute), 'snapshots')).not.toBeNull();
  });

  test('a chart that cannot start is reported', () => {
    const broken = setup({ types: { events: {} as Message }, actions: effects() }).createMachine({
      initial: 'red',
      states: { red: { always: 'green' }, green: { always: 'red' } },
      options: { maxIterations: 10 },
    });
    expect(walkAgain(recorded[0]!, light(broken), 'snapshots')).toMatch(/infinite loop/i);
  });

  test('a violation during a recorded walk is reported with its step', () => {
    const dark = {
      ...light(),
      properties: () => [
        {
          name: 'never green',
          description: 'Nobody goes.',
          kind: 'always',
          holds: (c) => [...c.nodes.values()].every(({ toy }) => toy!.value !== 'green'),
        },
      ],
    } as Protocol;
    expect(walkAgain(recorded[0]!, dark, 'snapshots')).toMatch(/^never green is violated after step \d+: Nobody goes\.$/);
  });

  test('a running system returns the result of a choice', () => {
    const running = new RunningSystem(systemsOf(light())[0]!, light(), 'snapshots');
    expect(running.take()).toHaveLength(2);
    expect(running.make({ event: 0 })).toMatchObject([{ kind: 'command', node: 'n0', sent: [{ to: 'n0' }] }]);
    expect(() => running.make({ deliver: 99 })).toThrow(/Choice {"deliver":99} is not possible here/);
  });
});

test('a system of nodes that have nothing to do has no walks', () => {
  const idle = toy({ chart: setup({}).createMachine({}) });
  expect(systemWalks(idle).walks).toEqual([]);
});
