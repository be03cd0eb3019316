/** Live actors and bare snapshots are the same node: same events, same effects, same states, for every protocol there is. */
import { describe, expect, test, vi } from 'vitest';
import { assign, setup } from 'xstate';
import { ProtocolError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import type { Message } from '../machines/effects.js';
import type { ChartSamples } from '../machines/protocol.js';
import { createHost } from './world/hosts.js';
import { Node } from './world/node.js';
import { Random } from './random.js';

const EVENTS = 400;

describe.each(Object.values(protocols).map((protocol) => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  const charts = Object.entries(protocol.samples).flatMap(([chart, samples]) =>
    samples.map((sample, i) => [chart, i, sample] as const),
  );

  test.each(charts)('%s, start %i: a random walk is the same on both hosts', (chart, i, { input, events }: ChartSamples) => {
    const random = new Random(i, `walk of ${chart}`);
    const warn = vi.spyOn(console, 'warn');
    const [live, bare] = (['actors', 'snapshots'] as const).map((kind) => createHost(kind, protocol).start(chart, input));
    expect(live!.effects).toEqual(bare!.effects);
    for (let n = 0; n < EVENTS; n++) {
      const { context } = bare!.role.view();
      const candidates = events(context);
      if (candidates.length === 0) break;
      const event: Message = random.pick(candidates);
      expect(live!.role.accepts(event)).toBe(bare!.role.accepts(event));
      expect(live!.role.send(event)).toEqual(bare!.role.send(event));
      expect(live!.role.view()).toEqual(bare!.role.view());
    }
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

test.each(['actors', 'snapshots'] as const)(
  'an error of a chart is reported once, by the step that failed, of %s',
  async (kind) => {
    const chart = setup({}).createMachine({
      on: {
        go: {
          actions: assign(() => {
            throw new Error('too far');
          }),
        },
      },
    });
    const node = new Node('a', createHost(kind, { charts: { walker: chart } }));
    node.start([{ role: 'walker', chart: 'walker', input: undefined }], () => 0);
    const go = () => node.step('walker', { type: 'go' }, () => 0);
    expect(go).toThrow(new ProtocolError('node a: its step for "go" failed: too far'));
    // XState reports errors asynchronously; an uncaught error fails this test.
    await new Promise((resolve) => setImmediate(resolve));
  },
);
