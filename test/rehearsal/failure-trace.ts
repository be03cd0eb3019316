/**
 * A failure as a trace for the inspector: a node for each process, with a chart for the process and one for each request of a lock, the
 * faults on the lane of whom they struck, the ways that they severed, and what the judge found.
 *
 * On the same lane stand the roles of Quiver's own nodes, and their messages go from lane to lane; the link that carries them is folded away. It
 * is made of the file alone, without the application.
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

/** What is known of one process. */
class Lane {
  private readonly roles = new Map<string, RoleView>([['process', { chart: 'process', value: PROCESS.initial, context: {} }]]);
  private readonly changed: Record<string, RoleView | null> = {};
  private readonly taken: TransitionId[] = [];
  private clock: Readonly<Record<string, number>> = {};

  constructor(private readonly id: string) {}

  open(role: string, context: object): void {
    this.put(role, { chart: 'request', value: REQUEST.initial, context });
  }

  /** A request that is over is seen no more; so are all of a process that has ended. */
  take(role: string, event: string, context?: object): void {
    const view = this.roles.get(role);
    const { on = {} } = CHARTS[view?.chart ?? '']?.states[view!.value as string] ?? {};
    const value = on[event];
    if (!view || value === undefined) return;
    this.taken.push([role, view.value as string, event, 0]);
    this.put(role, value === 'over' ? null : { ...view, value, context: context ?? view.context });
    if (value === 'down') for (const other of this.roles.keys()) if (other !== role) this.put(other, null);
  }

  /** The request by which it is inside. */
  insideBy(lock: unknown, fence: unknown): string {
    const isIt = ({ chart, value, context }: RoleView) =>
      chart === 'request' && value === 'inside' && context.lock === lock && context.fence === fence;
    return [...this.roles].find(([, view]) => isIt(view))?.[0] ?? '';
  }

  /** A step of one of its nodes: what it has changed. */
  step({ name, roles, taken }: RoleStep): void {
    for (const [role, view] of Object.entries(roles)) this.put(`${name} ${role}`, view);
    this.taken.push(...taken.map((one) => ofNode(name, one)));
  }

  tell(
    kind: StepLine['kind'],
    event: StepLine['event'],
    { heard = {}, ...more }: Partial<StepFields> & { heard?: Clock } = {},
  ): StepFields {
    const [roles, taken] = [{ ...this.changed }, [...this.taken]];
    for (const role of Object.keys(roles)) delete this.changed[role];
    this.taken.length = 0;
    this.clock = laterOf(this.clock, heard, { [this.id]: (this.clock[this.id] ?? 0) + 1 });
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
    const inside = views.filter(({ value }) => value === 'inside').map(({ context }) => context.lock as string);
    if (inside.length > 0) return { tone: 'held', badge: inside.join(' ') };
    return { tone: views.some(({ value }) => value === 'waiting') ? 'waiting' : 'plain' };
  }
}

/** What a line of the story means for the lane of its process. */
function stepFieldsOf(lane: Lane, { at: _, type, peer: __, ...fields }: RehearsalEvent): StepFields {
  const { lock, ask, fence, life } = fields as Readonly<Record<string, any>>;
  const role = `${lock} ${ask}`;
  if (type === 'start' || type === 'end') lane.take('process', type);
  else if (type === 'ask') lane.open(role, { lock, ask });
  else if (type === 'grant') lane.take(role, type, { lock, ask, fence });
  // A grant is told by itself.
  else if (type === 'settle' && fields['how'] !== 'granted') lane.take(role, type);
  else if (type === 'release' || type === 'lost') lane.take(lane.insideBy(lock, fence), type);
  if (type === 'start') return lane.tell(life === 1 ? 'start' : 'restart', { type });
  if (type === 'end') return lane.tell('crash', { type: 'killed' });
  return lane.tell(type === 'uncaught' ? 'fault' : 'note', { ...fields, type: `${type} ${fieldsText(fields)}` });
}

/** Nodes come and go with their process, whose steps say so. */
const kindOf = ({ event: { type }, from }: RoleStep): StepLine['kind'] => {
  if (from !== undefined) return 'deliver';
  if (type === 'timer') return 'timer';
  return type === 'start' || type === 'stands' || type.startsWith('link.') ? 'note' : 'command';
};

const ofPause = { fault: 'pause', healed: 'resume' } as const;

/**
 * A failure of a rehearsal as a trace that `quiver explore` shows.
 *
 * @throws UsageError for what is not a failure of this version.
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
  for (const [place, happening] of [...story, null].entries()) {
    while (steps.length > 0 && (happening === null || steps[0]!.place <= place)) {
      const step = steps.shift()!;
      const lane = lanes.get(step.peer);
      if (!lane) continue;
      const { at } = step;
      const arrival = carried.arrive(step);
      for (const lost of arrival.lost) yield { index: index++, at, ...lost };
      lane.step(step);
      const told = lane.tell(kindOf(step), step.event, {
        ...(arrival.clock && { heard: arrival.clock }),
        ...(step.role !== undefined && { role: `${step.name} ${step.role}` }),
        ...(arrival.message !== undefined && { message: arrival.message }),
        refused: step.refused.map((one) => ofNode(step.name, one)),
      });
      yield { index: index++, at, ...told, sent: carried.launch(step, told.clock) };
    }
    if (happening === null) break;
    const { at, type, peer } = happening;
    const fault = happening['fault'] as RehearsalFault | undefined;
    const lane = lanes.get(fault?.who ?? peer ?? '');
    if (!lane) continue;
    if (!fault) {
      yield { index: index++, at, ...stepFieldsOf(lane, happening) };
      if (type === 'end') for (const lost of carried.end(peer!)) yield { index: index++, at, ...lost };
      continue;
    }
    const isOver = type === 'healed';
    if (fault.what === 'pause') lane.take('process', ofPause[type as keyof typeof ofPause]);
    const { what, atMs: _, lastsMs: __, ...rest } = fault;
    const description = isOver ? `${what} is over` : `${what} ${fieldsText(rest)}`;
    yield { index: index++, at, ...lane.tell('fault', { ...fault, type: description }) };
    for (const way of severed.change(severedBy(fault, ids), isOver)) yield { index: index++, at, why: fault.what, ...way };
  }
  const clock = {};
  // The failure says whole milliseconds.
  const end = Math.max(atMs, story.at(-1)?.at ?? 0);
  yield { index: index++, at: end, kind: 'violated', why: `${judge}: ${why}`, refutes: { property: judge }, clock };
  const properties = [{ name: judge, kind: property.kind, holds: false }];
  yield { index, at: end, kind: 'verdict', verdict: 'invalid', properties, clock };
}

/** Ways that several faults sever are through once the last of them is over. */
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
