/** Commands of a node in an application: their effects, their times, and events in between. */
import { setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { defineCore } from '../../machines/define.js';
import { directory } from '../../machines/directory/index.js';
import { effects, type Message } from '../../machines/effects.js';
import { selectedIn } from '../../network/world/selected-in.js';
import { createNode } from './node.js';
import type { Gate, NodeOptions } from './node-options.js';
import { description, receivedMessage, started, valueOf, word, type Event } from './parrot.fixture.js';

describe('commands', () => {
  test('an unknown or impossible command is refused with an error and changes nothing', async () => {
    const { node, steps } = await started({ name: 'mine' });
    expect(() => node.command('pray')).toThrow(
      'parrot has no command "pray". Use one of: say, babble, ring, hush, dice, keep, fail, rest, work',
    );
    expect(() => node.command('rest')).toThrow(
      'node "a" of "mine" cannot accept the command "rest" in its current state. Nothing has changed. Repeat it after the next notification.',
    );
    expect([node.attempt('pray'), node.attempt('rest'), steps]).toEqual([false, false, []]);
    await node.close();
    expect(() => node.command('dice')).toThrow('node "a" of "mine" is closed');
    expect(node.attempt('dice')).toBe(false);
  });

  test('a misspelled command does not compile', () => {
    const directoryNode = (options: Pick<NodeOptions, 'transport' | 'topology'>) =>
      createNode({ ...options, protocol: directory });
    const wrong = (node: ReturnType<typeof directoryNode>) => [
      node.command('request'),
      // @ts-expect-error
      node.command('requets'),
      // @ts-expect-error
      node.attempt('requets'),
    ];
    expect(wrong).toBeTypeOf('function');
  });

  test('a waiting command runs in its turn; one that need not wait overtakes it', async () => {
    const { node, steps } = await started();
    node.command('work');
    node.command('work');
    expect([valueOf(node), steps.length]).toEqual(['busy', 1]);
    node.command('dice');
    node.command('rest');
    expect(steps.map(({ event }) => event.type)).toEqual(['work', 'dice', 'rest', 'work']);
    expect(valueOf(node)).toBe('busy');
  });

  test('draws use the given random source, and are reported', async () => {
    const crypto = { getRandomValues: (words: Uint32Array) => words.fill(10), randomUUID: () => '' } as never;
    const { node, steps, notifications } = await started({ crypto });
    node.command('dice');
    expect([notifications, steps[0]!.drawn]).toEqual([[{ type: 'fell', value: 4 }], [4]]);
  });

  test('the transitions of a step are reported while there is an observer', async () => {
    const { node, steps } = await started();
    const stop = node.watchSelections(selectedIn);
    node.command('work');
    stop();
    node.command('rest');
    expect(steps.map((step) => 'selected' in step)).toEqual([true, false]);
  });

  test('a chart that throws ends the node with the error, and its step is not reported', async () => {
    const { node, steps, notifications } = await started();
    node.command('fail');
    expect(await node.closed).toMatchObject({ message: 'node a: its step for "fail" failed: mine' });
    expect([steps, notifications, node.view()]).toEqual([[], [], {}]);
  });

  test('an inspector sees the sender of each event; commands have none', async () => {
    const seen: [string, string | undefined][] = [];
    const { node, medium } = await started({
      inspect: (event: any) => {
        if (event.type === '@xstate.event' && ['word', 'dice'].includes(event.event.type))
          seen.push([event.event.type, event.sourceRef?.id]);
      },
    });
    medium.received('b', word('hi'));
    node.command('dice');
    expect(seen).toEqual([
      ['word', expect.stringMatching(/^b/)],
      ['dice', undefined],
    ]);
  });
});

describe('timers', () => {
  test('fire in time, are canceled, and end with the node', async () => {
    const { node, clock, steps, notifications } = await started();
    for (const [timer, delay] of [
      ['first', 5],
      ['second', 6],
      ['third', 9],
    ] as const)
      node.command('ring', { timer, delay });
    node.command('hush', { timer: 'second' });
    clock.runUntil(4);
    expect(notifications).toEqual([]);
    clock.runUntil(7);
    expect(notifications).toEqual([{ type: 'rang', timer: 'first' }]);
    expect(steps.at(-1)).toMatchObject({ role: 'parrot', event: { type: 'timer', timer: 'first' } });
    await node.close();
    expect(clock.isIdle).toBe(true);
    clock.runUntil(20);
    expect(notifications).toHaveLength(1);
  });
});

describe('a gate', () => {
  const gateOf = () => {
    const held: [number, () => void][] = [];
    const parted: string[] = [];
    const gate = {
      isShut: false,
      comes: ({ number }, take) => void held.push([number, take]),
      parted: (peer) => void parted.push(peer),
    } satisfies Gate as { isShut: boolean } & Gate;
    return { gate, held, parted };
  };

  test('receives all messages, including those of the node itself, and passes them on', async () => {
    const { node, medium, notifications } = await started();
    const { gate, held, parted } = gateOf();
    node.guard(gate);
    medium.up('b');
    medium.received('b', word('hi'));
    node.command('say', { to: 'a', text: 'ho' });
    await Promise.resolve();
    expect([notifications, held.map(([number]) => number)]).toEqual([[], [1, 1]]);
    for (const [, take] of held) take();
    expect(notifications).toEqual([receivedMessage('b', 'hi'), receivedMessage('a', 'ho')]);
    medium.down('b');
    expect(parted).toEqual(['b']);
    node.guard();
    medium.received('b', word('free'));
    expect(notifications.at(-1)).toEqual(receivedMessage('b', 'free'));
  });

  test('a new peer does not interrupt other links', async () => {
    const { node, medium } = await started();
    const { gate, parted } = gateOf();
    node.guard(gate);
    medium.up('c');
    expect(parted).toEqual([]);
  });

  test('while it is closed, waiting commands keep waiting; without it they run', async () => {
    const { node, steps } = await started();
    const { gate } = gateOf();
    gate.isShut = true;
    node.guard(gate);
    node.command('work');
    node.command('dice');
    expect(steps.map(({ event }) => event.type)).toEqual(['dice']);
    gate.isShut = false;
    node.guard(gate);
    expect(steps.map(({ event }) => event.type)).toEqual(['dice', 'work']);
    node.command('rest');
    gate.isShut = true;
    node.command('work');
    node.guard();
    expect(valueOf(node)).toBe('busy');
  });
});

describe('waiting events of charts', () => {
  test('are requested before every step, and processed first', async () => {
    const nextCommand: Message[] = [];
    const { node, medium, steps } = await started({ nextCommand: () => nextCommand.shift() ?? null });
    nextCommand.push({ type: 'nextCommand' });
    medium.received('b', word('hi'));
    nextCommand.push({ type: 'nextCommand' });
    node.command('work');
    nextCommand.push({ type: 'nextCommand' });
    node.attempt('rest');
    nextCommand.push({ type: 'nextCommand' });
    node.view();
    nextCommand.push({ type: 'nextCommand' });
    await node.close();
    const types = ['nextCommand', 'word', 'nextCommand', 'work', 'nextCommand', 'rest', 'nextCommand', 'nextCommand'];
    expect(steps.map(({ event }) => event.type)).toEqual(types);
    nextCommand.push({ type: 'nextCommand' });
    node.flushCommands();
    expect([nextCommand.length, steps.length]).toEqual([1, types.length]);
  });

  test('count before the chart is asked whether it accepts a command', async () => {
    let isOwed = false;
    const settled = setup({ types: { events: {} as Event }, actions: effects() }).createMachine({
      initial: 'in',
      states: { in: { on: { nextCommand: 'out' } }, out: { on: { rest: 'in' } } },
    });
    const protocol = defineCore({ ...description, charts: { parrot: settled } });
    const { node } = await started({
      protocol,
      nextCommand: () => (isOwed ? ((isOwed = false), { type: 'nextCommand' }) : null),
    });
    isOwed = true;
    expect([node.attempt('rest'), valueOf(node)]).toEqual([true, 'in']);
  });
});
