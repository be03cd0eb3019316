/**
 * Explains an event: the chain of its causes backward, read from the trace.
 *
 * The cause of a delivery is the step that sent the message. The cause of a timer is the step that armed it, or that entered the state with
 * this delay (`after`). The cause of a command is outside of the system. The state before a step is a condition and not a cause; the card
 * shows it as such. If a promise is violated in a quiescent state, the marks show which node waits for which: in a cycle, all wait forever.
 */
import type { RoleView } from '../../machines/protocol.js';
import { isStep, type StepLine } from '../../network/trace.js';
import { readChart, type Chart, type ChartTransition } from './chart.js';
import { lastAtMost } from './columns.js';
import { Moment } from './moment.js';
import type { ReadTrace } from './recording.js';
import { passedBy, type Passed } from './passed.js';
import { reportedBy } from './taken.js';
import { activePaths, valueText } from './values.js';
import { sentence } from './words.js';
import { fieldsOf } from '../../machines/checks.js';

export interface CauseCard {
  readonly line: number;
  /** The event, in words. */
  readonly description: string;
  /** How it caused the previous item of the chain. */
  readonly because: string;
}

const CHAIN_MAX = 60;
/** The most steps of a node that are searched for the one that armed a timer or changed a value. */
const STEPS_BACK_MAX = 5000;

/** The line, its cause, the cause of that, and so on until an event from outside. */
export function chainOf(recording: ReadTrace, line: number): CauseCard[] {
  const chain: CauseCard[] = [{ line, description: sentence(recording.line(line)), because: '' }];
  for (let cause = causeOf(recording, line); cause && chain.length < CHAIN_MAX; cause = causeOf(recording, cause.line))
    chain.push(cause);
  return chain;
}

function causeOf(recording: ReadTrace, line: number): CauseCard | null {
  const entry = recording.line(line);
  const cause = (at: number, because: string): CauseCard | null =>
    at < recording.first ? null : { line: at, description: sentence(recording.line(at)), because };
  const ended = recording.messageOf(line);
  if (ended >= 0) {
    const { sent, type, from } = recording.messages.get(ended);
    return cause(sent, `it sent ${type}${from < 0 ? '' : ` to ${recording.nodes.names[recording.messages.get(ended).to]}`}`);
  }
  if (!isStep(entry) && entry.kind === 'violated') return brokenBy(recording, line, entry.refutes?.nodes?.[0], cause);
  if (!isStep(entry) || entry.kind !== 'timer') return null;
  const armed = armedBy(recording, line, entry);
  if (armed !== null) return cause(armed, `it armed the timer ${String(entry.event['timer'])}`);
  const entered = enteredBefore(recording, line, entry);
  return entered && cause(entered.line, `it entered ${entered.path || 'the chart'}, and there the delay began`);
}

/** The step before a line that entered the state whose delay ended there. */
function enteredBefore(
  recording: ReadTrace,
  line: number,
  { role, event, roles }: StepLine,
): { readonly line: number; readonly path: string } | null {
  const node = recording.nodeOf(line);
  const [own] = role === undefined ? Object.keys(roles) : [role];
  const slot = recording.slotsOf[node]?.find((one) => one.role === own);
  const known = new Map<string, Chart>();
  const chartOf = (name: string) => {
    const chart = known.get(name) ?? readChart(name, recording.header!.charts[name]);
    known.set(name, chart);
    return chart;
  };
  const before = own === undefined || !slot ? undefined : viewAt(recording, slot.lines[lastAtMost(slot.lines, line - 1)], own);
  const path = before && chartOf(before.chart).transitions.find((one) => one.event === event.type)?.source;
  if (path === undefined) return null;
  const isIn = (at: number | undefined) => {
    const view = viewAt(recording, at, own!);
    return view !== undefined && (path === '' || activePaths(view.value).has(path));
  };
  const { lines } = slot!;
  const last = lastAtMost(lines, line - 1);
  for (let place = last; place > last - STEPS_BACK_MAX && isIn(lines[place]); place--) {
    const at = lines[place]!;
    const isReentered = takenAt(recording, at, chartOf).some(
      (taken) => taken.role === own && taken.passed?.entered.some((state) => state.path === path),
    );
    if (isReentered || !isIn(lines[place - 1])) return { line: at, path };
  }
  return null;
}

const viewAt = (recording: ReadTrace, line: number | undefined, role: string): RoleView | undefined =>
  line === undefined ? undefined : (recording.step(line)?.roles[role] ?? undefined);

/** The observation of a property: the last change of the node that violates it, or the step taken. */
function brokenBy(
  recording: ReadTrace,
  line: number,
  node: string | undefined,
  cause: (line: number, because: string) => CauseCard | null,
): CauseCard | null {
  const number = node === undefined ? -1 : recording.nodes.find(node);
  const seen = recording.seenAt(line);
  const changed = number < 0 ? null : lastStep(recording, number, seen, ({ roles }) => Object.keys(roles).length > 0);
  if (changed !== null) return cause(changed, `${node} has stood so since`);
  for (let at = seen; at >= recording.first; at--) if (recording.nodeOf(at) >= 0) return cause(at, 'this step left it so');
  return null;
}

function armedBy(recording: ReadTrace, line: number, { role, event }: StepLine): number | null {
  return lastStep(recording, recording.nodeOf(line), line - 1, ({ timers = [] }) =>
    timers.some(([of, timer, delay]) => of === role && timer === event['timer'] && delay !== null),
  );
}

/** The last step of a node up to a line for which `holds` is true. */
function lastStep(recording: ReadTrace, node: number, upTo: number, holds: (step: StepLine) => boolean): number | null {
  const steps = recording.steps[node] ?? [];
  const last = lastAtMost(steps, upTo);
  for (let place = last; place >= 0 && place > last - STEPS_BACK_MAX; place--) {
    const line = steps[place]!;
    if (holds(recording.step(line)!)) return line;
  }
  return null;
}

/** The line at which a role entered its current state, or its start. */
export const stateSince = (recording: ReadTrace, node: number, role: string, upTo: number): number | null =>
  changedIn(recording, node, role, upTo, ({ value }) => valueText(value));

/** The line at which a value in a role's context got its current value. */
export const valueSince = (recording: ReadTrace, node: number, role: string, key: string, upTo: number): number | null =>
  changedIn(recording, node, role, upTo, ({ context }) => JSON.stringify(fieldsOf(context)[key]));

function changedIn(
  recording: ReadTrace,
  node: number,
  role: string,
  upTo: number,
  read: (view: RoleView) => string | undefined,
): number | null {
  const lines = recording.slotsOf[node]?.find((slot) => slot.role === role)?.lines ?? [];
  let place = lastAtMost(lines, upTo);
  if (place < 0) return null;
  const textAt = (at: number): string | undefined => {
    const view = recording.step(lines[at]!)?.roles[role];
    return view ? read(view) : undefined;
  };
  const now = textAt(place);
  for (let back = 0; place > 0 && back < STEPS_BACK_MAX && textAt(place - 1) === now; back++) place--;
  return lines[place]!;
}

/** An edge between two waiting nodes: one waits for the other. */
export interface WaitEdge {
  readonly from: number;
  readonly to: number;
  readonly description: string;
  /** The line since which it waits, and its unanswered request. */
  readonly since: number | null;
  readonly asked: { readonly line: number; readonly description: string } | null;
}

/** The waiting cycle that contains one of the nodes; empty if there is none. */
export function waitCycle(recording: ReadTrace, line: number, nodes: readonly number[]): WaitEdge[] {
  const moment = new Moment(recording, line);
  const waitsFor = (node: number): number[] => {
    const pointers = moment.overlay(node)?.pointers ?? [];
    return pointers.flatMap(({ to, kind = '' }) => (/wait/.test(kind) ? recording.nodes.find(to) : []));
  };
  for (const start of nodes) {
    const cycle = cycleFrom(start, waitsFor);
    if (cycle) return cycle.map((from, i) => waitOf(moment, from, cycle[(i + 1) % cycle.length]!));
  }
  return [];
}

function cycleFrom(start: number, next: (node: number) => readonly number[]): number[] | null {
  const search = (path: readonly number[]): number[] | null => {
    for (const node of next(path.at(-1)!)) {
      if (node === start) return [...path];
      const found = path.includes(node) || path.length > CHAIN_MAX ? null : search([...path, node]);
      if (found) return found;
    }
    return null;
  };
  return search([start]);
}

function waitOf(moment: Moment, from: number, to: number): WaitEdge {
  const { recording } = moment;
  const { names } = recording.nodes;
  const [now] = moment.roles(from);
  const state = now ? ` in ${valueText(now.view.value)}` : '';
  return {
    from,
    to,
    description: `${names[from]}${state} waits for ${names[to]}`,
    since: now?.since ?? null,
    asked: unanswered(moment, from, to),
  };
}

/** The last message of one to the other that was not answered by the step that received it. */
function unanswered({ recording, line }: Moment, from: number, to: number): WaitEdge['asked'] {
  const { messages, nodes } = recording;
  const [one, other] = [nodes.names[from]!, nodes.names[to]!];
  for (let ordinal = messages.firstSentFrom(line + 1) - 1; ordinal >= messages.first; ordinal--) {
    const message = messages.get(ordinal);
    if (message.from !== from || message.to !== to) continue;
    if (message.ending === null) return { line: message.sent, description: `its ${message.type} is on its way to ${other}` };
    if (message.ending === 'lost') return { line: message.ended, description: `its ${message.type} to ${other} was lost` };
    const answered = recording.step(message.ended)?.sent.some((sent) => sent.to === one) ?? true;
    if (!answered)
      return {
        line: message.ended,
        description: `${other} received its ${message.type} in line ${message.ended + 1} and sent nothing back`,
      };
  }
  return null;
}

/** True if no chart answered the event of a step: no transition for it in the state, or all guards refused. */
export function isIgnored(recording: ReadTrace, line: number): boolean {
  const step = recording.step(line);
  return step?.taken?.length === 0 && ['deliver', 'timer', 'command', 'link'].includes(step.kind);
}

/** The outcome of an event that no chart answered; `null` for any other step. */
export function refusalText(recording: ReadTrace, line: number, chartOf: (name: string) => Chart | undefined): string | null {
  if (!isIgnored(recording, line)) return null;
  const guards = new Set(refusalsAt(recording, line, chartOf).map(({ guard }) => guard));
  return guards.size === 0 ? 'ignored' : `refused by ${[...guards].join(', ')}`;
}

/** A transition that one role of a node took in a step. */
export interface TakenBy {
  readonly role: string;
  readonly transition: ChartTransition;
  /** The states that it left and entered; `null` if unknown. */
  readonly passed: Passed | null;
}

/** All transitions of a step in order, each with its actions in their order, and the states that it passed. */
export function takenAt(recording: ReadTrace, line: number, chartOf: (name: string) => Chart | undefined): TakenBy[] {
  const step = recording.step(line);
  if (!step?.taken) return [];
  const node = recording.nodeOf(line);
  const [before, after] = [line - 1, line].map((at) => new Moment(recording, at).roles(node)) as [RolesNow, RolesNow];
  const viewIn = (roles: RolesNow, role: string) => roles.find((now) => now.role === role)?.view;
  const all = step.taken.flatMap((taken) => {
    const [role] = taken;
    const view = viewIn(after, role) ?? viewIn(before, role);
    const chart = view && chartOf(view.chart);
    return chart
      ? (reportedBy({ taken: [taken] }, role, chart)?.taken ?? []).map((transition) => ({ role, chart, transition }))
      : [];
  });
  const isWhole = all.length === step.taken.length;
  const passed = new Map(
    [...new Set(all.map(({ role }) => role))].map((role) => {
      const own = all.filter((one) => one.role === role);
      const [from, to] = [viewIn(before, role), viewIn(after, role)];
      const known =
        isWhole &&
        from &&
        to &&
        passedBy(
          own[0]!.chart,
          from.value,
          own.map(({ transition }) => transition),
          to.value,
        );
      return [role, known ? [...known] : []] as const;
    }),
  );
  return all.map(({ role, transition }) => ({ role, transition, passed: passed.get(role)!.shift() ?? null }));
}

type RolesNow = ReturnType<Moment['roles']>;

/** Transitions for the step's event whose guards refused, for each role's chart. */
export function refusalsAt(recording: ReadTrace, line: number, chartOf: (name: string) => Chart | undefined): ChartTransition[] {
  const step = recording.step(line);
  if (!step) return [];
  const roles = new Set((step.refused ?? []).map(([role]) => role));
  return [...roles].flatMap((role) => {
    const view = new Moment(recording, line).roles(recording.nodeOf(line)).find((now) => now.role === role)?.view;
    const chart = view && chartOf(view.chart);
    return chart ? (reportedBy(step, role, chart)?.refused ?? []) : [];
  });
}
