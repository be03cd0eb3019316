/**
 * The conformance cases of SCXML by the W3C and SCION, as far as a pure chart can express them: XState's steps next to those from
 * memory, and both next to the expected result. The cases are an npm package that is fetched for the run and never installed: it
 * contains code that runs them against servers.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { Effects, interpreter } from './kernel.js';
import { callsDuring, lockSteps } from './lock-step.fixtures.js';
import { begin, macrostep, type Stepped } from './remembering.js';
import { BEGIN, chartOf, NotExpressed } from './scxml.fixtures.js';

const CASES = '@scion-scxml/test-framework@2.0.16';

/** Differences between XState and SCXML, with their reasons. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'scxml-prefix-event-name-matching/star0':
    'of several descriptors that match, the longest comes first, not the one that is written first',
  'w3c-ecma/test344.txml': 'an error of a condition raises no event',
};

interface Case {
  readonly initialConfiguration: readonly string[];
  readonly events: readonly {
    /** Milliseconds that pass before the event. */
    readonly after?: number;
    readonly event: { readonly name: string; readonly data?: unknown };
    readonly nextConfiguration: readonly string[];
  }[];
}

type Step = (machine: AnyStateMachine, from: AnyMachineSnapshot, event: Message) => Stepped;

const byXState: Step = (machine, from, event) => {
  const asked = new Effects();
  return { snapshot: interpreter.step(machine, from, event, asked), effects: asked.all() };
};

interface Waiting {
  readonly at: number;
  readonly id: string | undefined;
  readonly message: Message;
}

/** A running document: the chart, and the events that it has sent to itself. */
class ScxmlSession {
  readonly steps: unknown[] = [];
  private now = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly machine: AnyStateMachine,
    private snapshot: AnyMachineSnapshot,
    private readonly step: Step,
  ) {
    this.take({ type: BEGIN });
  }

  /** The atomic states it is in, in the order of their names. */
  get configuration(): string[] {
    const { _nodes: nodes } = this.snapshot as unknown as { readonly _nodes: readonly AnyStateNode[] };
    return nodes.flatMap(({ states, key }) => (Object.keys(states).length === 0 ? [key] : [])).toSorted();
  }

  take(event: Message): void {
    const { snapshot, effects } = this.step(this.machine, this.snapshot, event);
    this.snapshot = snapshot;
    this.steps.push({ event, value: snapshot.value, context: snapshot.context, status: snapshot.status, effects });
    for (const effect of effects) this.perform(effect);
  }

  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    for (let next = this.waiting[0]; next !== undefined && next.at <= until; next = this.waiting[0]) {
      this.waiting.shift();
      this.now = next.at;
      this.take(next.message);
    }
    this.now = until;
  }

  private perform(effect: Effect): void {
    if (effect.type === 'disarm') this.waiting = this.waiting.filter(({ id }) => id !== effect.timer);
    if (effect.type !== 'send') return;
    const { message, delay, id } = effect as unknown as { message: Message; delay: number; id: string | undefined };
    this.waiting = [...this.waiting, { at: this.now + delay, id, message }].toSorted((a, b) => a.at - b.at);
  }
}

/** The result of a case: the requested configurations, and every step. */
function play(machine: AnyStateMachine, first: AnyMachineSnapshot, step: Step, { events }: Case) {
  const session = new ScxmlSession(machine, first, step);
  const configurations = [session.configuration];
  for (const { after, event } of events) {
    if (after !== undefined) session.pass(after);
    session.take({ type: event.name, ...(event.data === undefined ? {} : { data: event.data }) });
    configurations.push(session.configuration);
  }
  return { configurations, steps: session.steps };
}

const inOrder = (states: readonly string[]): string[] => states.map((id) => id.replaceAll('.', '_')).toSorted();
const expectedOf = ({ initialConfiguration, events }: Case): string[][] =>
  [initialConfiguration, ...events.map(({ nextConfiguration }) => nextConfiguration)].map(inOrder);

let folder = '';
const cases: { readonly name: string; readonly machine: AnyStateMachine; readonly expected: Case }[] = [];
const notExpressed: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quiver-scxml-'));
  const archive = execFileSync('npm', ['pack', CASES], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  execFileSync('tar', ['xzf', archive.trim()], { cwd: folder });
  const documents = join(folder, 'package', 'test');
  const names = readdirSync(documents, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  for (const file of names.toSorted()) {
    const name = file.slice(0, -'.json'.length);
    const [text, expected] = [`${name}.scxml`, file].map((one) => readFileSync(join(documents, one), 'utf8'));
    try {
      cases.push({ name, machine: chartOf(text!), expected: JSON.parse(expected!) as Case });
    } catch (error) {
      if (!(error instanceof NotExpressed)) throw new Error(`${name}: ${String(error)}`, { cause: error });
      notExpressed.push(name);
    }
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('XState passes the case, except for the named ones', () => {
  const differ = cases.filter(({ machine, expected }) => {
    const { configurations } = play(machine, interpreter.begin(machine, undefined, new Effects()), byXState, expected);
    return JSON.stringify(configurations) !== JSON.stringify(expectedOf(expected));
  });
  expect(differ.map(({ name }) => name)).toEqual(Object.keys(OTHERWISE));
  expect({ expressed: cases.length, others: notExpressed.length }).toEqual({ expressed: 197, others: 119 });
});

test('from memory, each case takes the very same steps', () => {
  let steps = 0;
  const byXStateFor = { first: 0, again: 0 };
  for (const { name, machine, expected } of cases) {
    const own = play(machine, interpreter.begin(machine, undefined, new Effects()), byXState, expected);
    steps += own.steps.length;
    for (const time of ['first', 'again'] as const) {
      byXStateFor[time] += callsDuring(() => {
        expect({ name, ...play(machine, begin(machine, undefined).snapshot, macrostep, expected) }).toEqual({ name, ...own });
      });
    }
  }
  expect({ steps, byXStateFor }).toEqual({ steps: 417, byXStateFor: { first: 416, again: 0 } });
});

test('from memory, random walks over the charts of the cases are those of XState', () => {
  const total = { steps: 0, byXState: 0 };
  for (const { name, machine } of cases) {
    const names = machine.events.map((descriptor) => descriptor.replace(/\.?\*$/, '')).filter((type) => type !== '');
    const events = (): Message[] => names.map((type) => ({ type }));
    const { steps, byXState } = lockSteps(name, machine, [{ input: undefined, events }], 10, 50);
    total.steps += steps;
    total.byXState += byXState;
  }
  expect(total.steps).toBe(cases.length * 500);
  expect(total.byXState).toBeLessThan(total.steps / 50);
});
