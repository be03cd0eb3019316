/** Determines which actors are held, so that a test step chooses their result, and which run for real. */
import type { AnyActorLogic } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { heldLogic, type LogicKind, type Settling } from './stage.js';

/** The kinds of services that are held here. Custom logic runs unchanged. */
export const HELD: ReadonlySet<LogicKind> = new Set(['promise', 'callback', 'observable', 'events']);

/** A chart alone would leave out an actor of its machine. */
export class NeedsActors extends UsageError {}

export const noneAlone = (name: string, kind: LogicKind): UsageError =>
  new NeedsActors(
    `${name} is ${kind === 'machine' ? 'a machine' : 'custom logic'}, which only mode 'live' runs. In mode 'pure', define its results, services: { ${JSON.stringify(name)}: { sends: [{ type: '…' }], done: [{ … }] } }`,
  );

/** A promise that runs for real, and whose result waits for its step. */
export function performedLogic(logic: AnyActorLogic, began: (end: Promise<Settling>) => void): AnyActorLogic {
  const create = (logic as unknown as { config: (args: unknown) => unknown }).config;
  return {
    ...heldLogic(logic, () => {}),
    start: ({ input }: { input: unknown }, { self, system, emit }: any) => {
      const { signal } = new AbortController();
      const running = Promise.resolve(create({ input, self, system, emit, signal }));
      began(
        running.then(
          (value): Settling => ({ how: 'done', value }),
          (value: unknown): Settling => ({ how: 'fails', value }),
        ),
      );
    },
  } as AnyActorLogic;
}
