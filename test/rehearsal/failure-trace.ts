/**
 * Converts a failure into a trace for the inspector. Each process is a node with a chart for the process and one for each lock request.
 * The trace shows faults, severed channels, and the violation.
 *
 * The node of a process also shows the roles of Quiver's own nodes, and their messages; the link layer that carries them is omitted. The
 * trace is made from the failure file only, without the application.
 */
import type { Overlay, RoleView } from '../../machines/protocol.js';
import type { TransitionId } from '../../network/world/selections.js';
import { CarriedMessages } from './carried.js';
import type { RoleStep } from './role-steps.js';
import { TRACE_VERSION, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { checkFailure, fieldsText } from './failure.js';
import { severedBy } from './faults.js';
import type { RehearsalFault } from './scenario.js';
import type { RehearsalEvent } from './world.js';

interface LaneChart {
  readonly id: string;
  readonly initial: string;
  readonly states: Readonly<Record<string, { readonly type?: 'final'; readonly on?: Readonly<Record<string, string>> }>>;
}

const PROCESS: LaneChart = {
  id: 'process',
  initial: 'down',
  states: {
    down: { on: { start: 'up' } },
    up: { on: { pause: 'paused', end: 'down' } },
    paused: { on: { resume: 'up', end: 'down' } },
  },
};
const REQUEST: LaneChart = {
  id: 'request',
  initial: 'waiting',
  states: {
    waiting: { on: { grant: 'inside', settle: 'over' } },
    inside: { on: { release: 'over', lost: 'over' } },
    over: { type: 'final' },
  },
};
const CHARTS: Readonly<Record<string, LaneChart>> = { process: PROCESS, request: REQUEST };

type StepFields = Omit<StepLine, 'index' | 'at'>;
type Clock = Readonly<Record<string, number>>;

const ofNode = (name: string, [role, ...rest]: TransitionId): TransitionId => [`${name} ${role}`, ...rest];

const laterOf = (...clocks: readonly Clock[]): Clock => {
  const later: Record<string, number> = {};
  for (const clock of clocks) for (const [id, count] of Object.entries(clock)) later[id] = Math.max(later[id] ?? 0, count);
  return later;
};

/** The state of one process. */
class Lane {
  private readonly roles = new Map<string, RoleView>([['process', { chart: 'process', value: PROCESS.initial, context: {} }]]);
  private readonly changed: Record<string, RoleView | null> = {};
  private readonly taken: TransitionId[] = [];
  private clock: Readonly<Record<string, number>> = {};

  constructor(private readonly id: string) {}

  open(role: string, context: object): void {
    this.put(role, { chart: 'request', value: REQUEST.initial, context });
  }

  /** Moves a chart to its next state. Finished requests are removed, and all requests when the process ends. */
  take(role: string, event: string, context?: object): void {
    const view = this.roles.get(role);
    const { on = {} } = CHARTS[view?.chart ?? '']?.states[String(view?.value)] ?? {};
    const value = on[event];
    if (!view || value === undefined) return;
    this.taken.push([role, String(view.value), event, 0]);
    this.put(role, value === 'over' ? null : { ...view, value, context: context ?? view.context });
    if (value === 'down') for (const other of this.roles.keys()) if (other !== role) this.put(other, null);
  }

  /** The role of the request that holds the lock. */
  insideBy(lock: unknown, fence: unknown): string {
    const isIt = ({ chart, value, context }: RoleView) =>
      chart === 'request' && value === 'inside' && context.lock === lock && context.fence === fence;
    return [...this.roles].find(([, view]) => isIt(view))?.[0] ?? '';
  }

  /** Records the changes of a step of one of the process's nodes. */
  step({ name, roles, taken }: RoleStep): void {
    for (const [role, view] of Object.entries(roles)) this.put(`${name} ${role}`, view);
    this.taken.push(...taken.map((one) => ofNode(name, one)));
  }

  line(
    kind: StepLine['kind'],
    event: StepLine['event'],
    { received = {}, ...more }: Partial<StepFields> & { received?: Clock } = {},
  ): StepFields {
    const [roles, taken] = [{ ...this.changed }, [...this.taken]];
    for (const role of Object.keys(roles)) delete this.changed[role];
    this.taken.length = 0;
    this.clock = laterOf(this.clock, received, { [this.id]: (this.clock[this.id] ?? 0) + 1 });
    const { clock } = this;
    return {
      node: this.id,
      kind,
      event,
      sent: [],
      emitted: [],
      roles,
      taken,
      refused: [],
      overlay: this.marks(),
      clock,
      ...more,
    };
  }

  private put(role: string, view: RoleView | null): void {
    this.changed[role] = view;
    if (view) this.roles.set(role, view);
    else this.roles.delete(role);
  }

  private marks(): Overlay {
    const views = [...this.roles.values()].filter(({ chart }) => chart === 'request');
    const inside = views.filter(({ value }) => value === 'inside').map(({ context }): string => context.lock);
    if (inside.length > 0) return { tone: 'held', badge: inside.join(' ') };
    return { tone: views.some(({ value }) => value === 'waiting') ? 'waiting' : 'plain' };
  }
}

/** The step that an event of the story means for its process. */
function stepFieldsOf(lane: Lane, { at: _, type, peer: __, ...fields }: RehearsalEvent): StepFields {
  const { lock, ask, fence, life } = fields;
  const role = `${lock} ${ask}`;
  if (type === 'start' || type === 'end') lane.take('process', type);
  else if (type === 'ask') lane.open(role, { lock, ask });
  else if (type === 'grant') lane.take(role, type, { lock, ask, fence });
  // A grant has its own event.
  else if (type === 'settle' && fields['how'] !== 'granted') lane.take(role, type);
  else if (type === 'release' || type === 'lost') lane.take(lane.insideBy(lock, fence), type);
  if (type === 'start') return lane.line(life === 1 ? 'start' : 'restart', { type });
  if (type === 'end') return lane.line('crash', { type: 'killed' });
  return lane.line(type === 'uncaught' ? 'fault' : 'note', { ...fields, type: `${type} ${fieldsText(fields)}` });
}

/** The kind of a role's step. Steps of the process itself are in the story. */
const kindOf = ({ event: { type }, from }: RoleStep): StepLine['kind'] => {
  if (from !== undefined) return 'deliver';
  if (type === 'timer') return 'timer';
  return type === 'start' || type === 'stands' || type.startsWith('link.') ? 'note' : 'command';
};

const ofPause = { fault: 'pause', healed: 'resume' } as const;

/**
 * Converts a failure of a rehearsal into a trace that `quiver explore` shows.
 *
 * @param file a failure as `rehearse` has reported it, parsed from JSON.
 * @throws UsageError for anything else, and for a failure of another version.
 */
export function* traceOfFailure(file: unknown): Generator<TraceHeader | TraceLine> {
  const { judge, description: why, atMs, seed, scenario, story, roles } = checkFailure(file);
  const ids = [...scenario.services, ...scenario.peers, ...scenario.clients];
  const lanes = new Map(ids.map((id) => [id, new Lane(id)]));
  const property = { name: judge, kind: 'always', description: why } as const;
  yield {
    quiver: TRACE_VERSION,
    protocol: 'rehearsal',
    scenario: null,
    seed,
    nodes: ids,
    links: ids.flatMap((id, i) => ids.slice(i + 1).map((other) => [id, other, 1] as const)),
    charts: { ...CHARTS, ...roles?.charts },
    properties: [property],
  };
  let index = 0;
  const severed = new Severed();
  const carried = new CarriedMessages();
  const steps = [...(roles?.steps ?? [])];
  for (const [place, event] of [...story, null].entries()) {
    while (steps.length > 0 && (event === null || steps[0]!.place <= place)) {
      const step = steps.shift()!;
      const lane = lanes.get(step.peer);
      if (!lane) continue;
      const { at } = step;
      const arrival = carried.arrive(step);
      for (const lost of arrival.lost) yield { index: index++, at, ...lost };
      lane.step(step);
      const line = lane.line(kindOf(step), step.event, {
        ...(arrival.clock && { received: arrival.clock }),
        ...(step.role !== undefined && { role: `${step.name} ${step.role}` }),
        ...(arrival.message !== undefined && { message: arrival.message }),
        refused: step.refused.map((one) => ofNode(step.name, one)),
      });
      yield { index: index++, at, ...line, sent: carried.launch(step, line.clock) };
    }
    if (event === null) break;
    const { at, type, peer } = event;
    const fault = event['fault'] as RehearsalFault | undefined;
    const lane = lanes.get(fault?.who ?? peer ?? '');
    if (!lane) continue;
    if (!fault) {
      yield { index: index++, at, ...stepFieldsOf(lane, event) };
      if (type === 'end') for (const lost of carried.end(peer!)) yield { index: index++, at, ...lost };
      continue;
    }
    const isOver = type === 'healed';
    if (fault.what === 'pause') lane.take('process', ofPause[type as keyof typeof ofPause]);
    const { what, atMs: _, lastsMs: __, ...rest } = fault;
    const description = isOver ? `${what} is over` : `${what} ${fieldsText(rest)}`;
    yield { index: index++, at, ...lane.line('fault', { ...fault, type: description }) };
    for (const way of severed.change(severedBy(fault, ids), isOver)) yield { index: index++, at, why: fault.what, ...way };
  }
  const clock = {};
  // The time of the failure is rounded to whole milliseconds.
  const end = Math.max(atMs, story.at(-1)?.at ?? 0);
  yield { index: index++, at: end, kind: 'violated', why: `${judge}: ${why}`, refutes: { property: judge }, clock };
  const properties = [{ name: judge, kind: property.kind, holds: false }];
  yield { index, at: end, kind: 'verdict', verdict: 'invalid', properties, clock };
}

/** Counts the faults that sever each path. A path is open again when the last of them has healed. */
class Severed {
  private readonly by = new Map<string, number>();

  change(
    ways: readonly (readonly [string, string])[],
    isOver: boolean,
  ): Pick<NetworkLine, 'kind' | 'between' | 'up' | 'clock'>[] {
    return ways.flatMap((between) => {
      const key = between.join('>');
      const before = this.by.get(key) ?? 0;
      const now = before + (isOver ? -1 : 1);
      this.by.set(key, now);
      return before > 0 === now > 0 ? [] : [{ kind: 'channel' as const, between, up: isOver, clock: {} }];
    });
  }
}
