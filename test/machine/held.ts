/** Which actors are held, so that a step says what they come to, and which ones run for real and need live actors for it. */
import { UsageError } from '../../machines/errors.js';
import type { LogicKind } from './stage.js';

/** The services of XState that do nothing by themselves here; what was made by other hands runs as it is. */
export const HELD: ReadonlySet<LogicKind> = new Set(['promise', 'callback', 'observable', 'events']);

/** A chart alone would leave out an actor of its machine. */
export class NeedsActors extends UsageError {}

export const noneAlone = (name: string, kind: LogicKind): UsageError =>
  new NeedsActors(
    `${name} is ${kind === 'machine' ? 'a machine' : 'logic of your own'}, which runs in mode 'live' alone; in mode 'pure' say what it comes to, services: { ${JSON.stringify(name)}: { sends: [{ type: '…' }], done: [{ … }] } }`,
  );
