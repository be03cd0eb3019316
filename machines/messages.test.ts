/**
 * True if a message is taken from the wire is decided by its shape: whatever a protocol's own runs send has it, and nothing that lacks
 * a field, or has a wrong one, does.
 */
import { describe, expect, test } from 'vitest';
import { Simulation } from '../network/simulation.js';
import { systemsOf } from '../test/system/systems.js';
import { ring } from '../examples/own-protocol/index.js';
import type { Message } from './effects.js';
import { protocols } from './index.js';
import type { Instance, Protocol } from './protocol.js';

type Sent = readonly [message: Message, instance: Instance];

const STEPS = 5_000;

/** Each message of the runs of a protocol's systems, once, as decoded from the wire. */
function sentBy(protocol: Protocol): readonly Sent[] {
  const sent = new Map<string, Sent>();
  for (const { scenario } of systemsOf(protocol)) {
    const instance = { ...scenario.graph, options: scenario.options };
    for (const seed of [1, 2, 3]) {
      const simulation = new Simulation({ ...scenario, seed }, { host: 'snapshots' });
      simulation.network.steps$.subscribe((step) => {
        for (const { message } of step.sent) {
          const text = JSON.stringify(message);
          sent.set(`${text} ${JSON.stringify(scenario.options)}`, [JSON.parse(text) as Message, instance]);
        }
      });
      simulation.start();
      // Links beat forever where two nodes are reached by way of a third.
      for (let steps = 0; steps < STEPS && simulation.advance(); steps++);
    }
  }
  return [...sent.values()];
}

const NOTHING_OF_OURS = { 'no field of ours': true };

/** Optional fields by type: a lock without readers has a token without a copyset, and a voter's question to itself has no number. */
const MAY_LACK: Readonly<Record<string, string>> = { token: 'copyset', confirm: 'number' };

/** The message without one of its fields, and with something else in it. */
function damaged(message: Message): readonly unknown[] {
  const { type, ...fields } = message;
  const broken = Object.keys(fields).flatMap((field) => {
    const { [field]: _, ...others } = fields as Record<string, unknown>;
    return [...(MAY_LACK[type] === field ? [] : [{ type, ...others }]), { type, ...others, [field]: NOTHING_OF_OURS }];
  });
  return [...broken, fields, { ...message, type: `${type}s` }, { ...message, type: 1 }, [message], JSON.stringify(message), null];
}

describe.each([...Object.values(protocols), ring as Protocol].map((protocol) => [protocol.name, protocol] as const))(
  '%s',
  (_, protocol) => {
    const sent = sentBy(protocol);

    test('accepts every message that its own runs send', () => {
      expect(sent.filter(([message, instance]) => !protocol.accepts(message, instance)).map(([message]) => message)).toEqual([]);
      const types = new Set(sent.map(([{ type }]) => type));
      expect(types.size).toBeGreaterThan(0);
      expect(Object.keys(protocol.messages ?? {}).filter((type) => !types.has(type))).toEqual([]);
    });

    test('rejects them with a missing or changed field', () => {
      const taken = sent.flatMap(([message, instance]) => damaged(message).filter((one) => protocol.accepts(one, instance)));
      expect(taken).toEqual([]);
    });

    test.runIf(protocol.messages)('rejects them with an additional field', () => {
      const taken = sent.filter(([message, instance]) => protocol.accepts({ ...message, ...NOTHING_OF_OURS }, instance));
      expect(taken).toEqual([]);
    });
  },
);
