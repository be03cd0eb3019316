/**
 * Converts the messages of `@statelyai/inspect`, from any XState program, to reports that the page shows. Each actor is a node, its machine
 * the chart, and a link connects it to its parent.
 *
 * An actor is shown while it runs. An actor that is created and never started, as in React's Strict Mode, does not appear. A stopped actor
 * releases its name.
 *
 * An event is reported before its snapshot, with messages of other actors in between. Events therefore wait in order for their snapshots. A
 * stopped actor has none, so the events behind it continue after a while.
 */
import { UsageError } from '../../machines/errors.js';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import { isRecord, isTooDeep, TOO_DEEP, type JsonRecord } from '../model/line-checks.js';
import { stateIn } from '../model/values.js';
import type { Merger } from '../live/merge.js';
import type { StepReport } from '../live/report.js';
import { fieldsOf } from '../../machines/checks.js';

const INIT = 'xstate.init';
const FIRST_STATE: Message = { type: 'came to its first state' };
const WAITING_MAX = 100;

interface Actor {
  readonly name: string;
  readonly chart: string;
  readonly parent: Actor | undefined;
  hasEnded: boolean;
}

interface Waiting {
  readonly actor: Actor;
  readonly report: Omit<StepReport, 'roles'>;
  view: RoleView | null;
  isLast: boolean;
}

export class StatelyReader {
  /** By session: what shows an actor that has been created, when it starts. */
  private readonly created = new Map<string, () => Actor>();
  private readonly actors = new Map<string, Actor>();
  private readonly charts = new Set<string>();
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly merger: Merger,
    private readonly now: () => number,
    /** The names that actors have, those of other programs among them. */
    private readonly names: Set<string>,
    /** The name of the program, which groups its actors. */
    private readonly program: string,
  ) {}

  /** Reads one message from the wire, which is not trusted. */
  read(text: string): void {
    const parsed = parseRecord(text);
    const { type, sessionId } = parsed;
    if (typeof type !== 'string' || typeof sessionId !== 'string')
      throw new UsageError('it has no type or no sessionId, as the events of @statelyai/inspect have');
    if (type === '@xstate.actor') this.meet(sessionId, parsed);
    else if (type === '@xstate.event') this.receive(sessionId, parsed);
    else if (type === '@xstate.snapshot') this.see(sessionId, parsed);
  }

  /** Reports all waiting events and the end of all actors. Later actors may have their names. */
  close(): void {
    for (const one of this.waiting.splice(0)) this.reportNext(one);
    for (const { name, hasEnded } of this.actors.values()) {
      this.names.delete(name);
      if (!hasEnded) this.merger.gone(name, this.now());
    }
  }

  private meet(sessionId: string, { name, definition, snapshot, parentId }: JsonRecord): void {
    if (this.actors.has(sessionId) || this.created.has(sessionId)) return;
    const config = typeof definition === 'string' ? parseRecord(definition) : {};
    const chart = textOf(config['id']) ?? 'actor';
    const own = textOf(name) ?? sessionId;
    this.created.set(sessionId, () => {
      const parent = this.actors.get(textOf(parentId) ?? '');
      const actor = this.add(sessionId, { own, chart, parent });
      const isNew = !this.charts.has(chart);
      this.charts.add(chart);
      const start: Omit<StepReport, 'roles'> = {
        ...this.base(actor),
        kind: 'start',
        event: { type: 'start' },
        logic: chart === 'actor' ? 'actor' : 'machine',
        ...(parent && { parent: parent.name, links: [parent.name] }),
        ...(isNew && { charts: { [chart]: config } }),
      };
      this.notify(actor, start, viewOf(actor, snapshot));
      return actor;
    });
  }

  private receive(sessionId: string, { event, sourceId }: JsonRecord): void {
    const message = messageOf(event);
    if (message.type === INIT) return this.start(sessionId);
    const actor = this.actorOf(sessionId);
    const source = typeof sourceId === 'string' ? this.actorOf(sourceId) : null;
    const base = this.base(actor);
    const report: Omit<StepReport, 'roles'> = source
      ? { ...base, kind: 'deliver', event: message, from: source.name, message }
      : { ...base, kind: 'command', event: message };
    this.waiting.push({ actor, report, view: null, isLast: false });
    if (this.waiting.length > WAITING_MAX) this.waiting[0]!.view ??= viewOf(actor, undefined);
    this.reportReady();
  }

  private see(sessionId: string, { snapshot, event }: JsonRecord): void {
    const actor = this.actorOf(sessionId);
    const isLast = hasEnded(snapshot);
    const place = this.waiting.findIndex((one) => one.actor === actor && one.view === null);
    const view = viewOf(actor, snapshot);
    const message = messageOf(event);
    const base = this.base(actor);
    if (message.type === INIT) {
      // Events that were sent before the actor ran follow its first state.
      const first: Waiting = { actor, report: { ...base, kind: 'note', event: FIRST_STATE }, view, isLast };
      this.waiting.splice(place < 0 ? this.waiting.length : place, 0, first);
    } else if (place >= 0) Object.assign(this.waiting[place]!, { view, isLast });
    else this.waiting.push({ actor, report: { ...base, kind: 'command', event: message }, view, isLast });
    this.reportReady();
  }

  private reportReady(): void {
    while (this.waiting[0]?.view) {
      this.reportNext(this.waiting.shift()!);
    }
  }

  private reportNext({ actor, report, view, isLast }: Waiting): void {
    this.notify(actor, report, view);
    if (!isLast || actor.hasEnded) return;
    actor.hasEnded = true;
    this.notify(actor, { ...this.base(actor), kind: 'crash', event: { type: 'ended' } }, null);
  }

  private notify({ name, chart }: Actor, report: Omit<StepReport, 'roles'>, view: RoleView | null): void {
    const { from, message, at } = report;
    if (from !== undefined) this.merger.place(from, name, message!, at);
    this.merger.take({ ...report, roles: view ? { [chart]: view } : {} }, this.program);
  }

  private base({ name, chart }: Actor): Pick<StepReport, 'at' | 'node' | 'role' | 'sent' | 'emitted'> {
    return { at: this.now(), node: name, role: chart, sent: [], emitted: [] };
  }

  /** An actor that was there before anybody listened is known by its number. */
  private actorOf(sessionId: string): Actor {
    return (
      this.actors.get(sessionId) ??
      this.created.get(sessionId)?.() ??
      this.add(sessionId, { own: sessionId, chart: 'actor', parent: undefined })
    );
  }

  /** An actor starts, or starts again after it has stopped: under its name, and its children under theirs. */
  private start(sessionId: string): void {
    const before = this.actors.get(sessionId);
    if (before?.hasEnded) {
      this.actors.delete(sessionId);
      for (const actor of [before, ...this.actors.values()])
        if (actor === before || (actor.parent === before && actor.hasEnded)) this.names.delete(actor.name);
    }
    this.actorOf(sessionId);
  }

  /** Adds an actor with a unique name, below the name of its parent. */
  private add(sessionId: string, { own, chart, parent }: Pick<Actor, 'chart' | 'parent'> & { readonly own: string }): Actor {
    const wanted = parent ? `${parent.name}/${own}` : own;
    let name = wanted;
    for (let other = 2; this.names.has(name); other++) name = `${wanted} (${other})`;
    this.names.add(name);
    const actor = { name, chart, parent, hasEnded: false };
    this.actors.set(sessionId, actor);
    return actor;
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A message of the wire: an object of JSON that is not too deep. */
export function parseRecord(text: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('it is not JSON');
  }
  if (!isRecord(value)) throw new UsageError('it is not an object');
  if (isTooDeep(value)) throw new UsageError(TOO_DEEP);
  return value;
}

const hasEnded = (snapshot: unknown): boolean => ['stopped', 'done', 'error'].includes(String(fieldsOf(snapshot)['status']));

function messageOf(event: unknown): Message {
  const { type } = fieldsOf(event);
  return typeof type === 'string' ? { ...fieldsOf(event), type } : { type: 'event' };
}

function viewOf({ chart }: Actor, snapshot: unknown): RoleView {
  const { value, status, context } = fieldsOf(snapshot);
  return { chart, value: stateIn(value, status), context: context ?? {} };
}
