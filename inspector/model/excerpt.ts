/**
 * Copies the end of a trace as its own trace. It begins in the state at the beginning of the kept time, which its header and first lines
 * describe. The verifier follows it from there, and the inspector shows it.
 *
 * If a recording has forgotten its oldest lines, timers that they armed are unknown.
 */
import type { Flight } from '../../machines/protocol.js';
import { isStep, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import type { StartState } from '../../network/world/choice.js';
import { Moment } from './moment.js';
import type { ReadTrace } from './recording.js';

/** The lines of the excerpt, from the given line, or from the start if not all nodes had started there. */
export function* excerptOf(recording: ReadTrace, asked: number): Generator<TraceHeader | TraceLine> {
  const header = recording.header!;
  const hasStarted = (node: string) => (recording.steps[recording.nodes.find(node)]?.[0] ?? Infinity) < asked;
  const first = recording.first > 0 || header.nodes.every(hasStarted) ? Math.max(asked, recording.first) : 0;
  const moment = new Moment(recording, first - 1);
  const flights = flightsOf(moment);
  const at = first < recording.end ? recording.at(first) : 0;
  let index = 0;
  const isWhole = first === 0;
  yield isWhole ? header : { ...header, start: { nodes: nodesOf(moment), flights } };
  for (const line of [...standingNodes(moment, at), ...changedChannels(moment, at), ...flights.map((one) => placed(one, at))])
    yield { ...line, index: index++ };
  for (let place = first; place < recording.end; place++) yield { ...recording.line(place), index: index++ };
}

function nodesOf(moment: Moment): StartState['nodes'] {
  const { recording } = moment;
  const timers = timersAt(moment);
  const numbers = recording.nodes.names.map((name, number) => [name, number] as const);
  return Object.fromEntries(
    numbers.flatMap(([name, number]) => {
      const roles = moment.roles(number).map(({ role, view }) => [role, view] as const);
      return roles.length === 0 ? [] : [[name, { roles: Object.fromEntries(roles), timers: timers.get(name) ?? [] }]];
    }),
  );
}

/** The timers that are armed, by node. */
function timersAt({ recording, line: last }: Moment): Map<string, (readonly [role: string, timer: string])[]> {
  const armed = new Map<string, Map<string, readonly [role: string, timer: string]>>();
  for (let line = recording.first; line <= last; line++) {
    const step = recording.step(line);
    if (!step) continue;
    const { node, kind, role = '', event, timers = [] } = step;
    const own = armed.get(node) ?? new Map<string, readonly [string, string]>();
    armed.set(node, own);
    if (kind === 'crash') own.clear();
    if (kind === 'timer') own.delete(`${role}\n${String(event['timer'])}`);
    for (const [owner, timer, delay] of timers)
      if (delay === null) own.delete(`${owner}\n${timer}`);
      else own.set(`${owner}\n${timer}`, [owner, timer]);
  }
  return new Map([...armed].map(([node, own]) => [node, [...own.values()]]));
}

function* standingNodes(moment: Moment, at: number): Generator<StepLine> {
  const { recording } = moment;
  for (const [number, node] of recording.nodes.names.entries()) {
    const roles = Object.fromEntries(moment.roles(number).map(({ role, view }) => [role, view]));
    if (Object.keys(roles).length === 0) continue;
    const last = recording.steps[number]!.findLast((line) => line <= moment.line);
    const overlay = moment.overlay(number);
    const program = recording.programs[number];
    const group = recording.groups[number];
    const common = { index: 0, at, node, sent: [], emitted: [], clock: last === undefined ? {} : recording.line(last).clock };
    yield {
      ...common,
      kind: 'start',
      event: { type: 'stands' },
      roles,
      ...(overlay && { overlay }),
      ...(program !== undefined && { program }),
      ...(group !== undefined && { group }),
    };
    const life = moment.life(number);
    if (!moment.runs(number)) yield { ...common, kind: 'crash', event: { type: life === 'crashed' ? 'crash' : life }, roles: {} };
  }
}

/** Changes that the header does not contain: links that came up, and channels that went down. */
function* changedChannels(moment: Moment, at: number): Generator<NetworkLine> {
  const { nodes, channels } = moment.recording;
  for (const { from, to, changes } of channels.values()) {
    if (!changes.some((change) => change >> 1 <= moment.line)) continue;
    const between = [nodes.names[from]!, nodes.names[to]!] as const;
    yield { index: 0, at, kind: 'channel', between, up: moment.channelUp(from, to), clock: {} };
  }
}

function flightsOf(moment: Moment): Flight[] {
  const { recording } = moment;
  return moment.flights().flatMap(({ id, from, to, cost, sent }) => {
    const line = recording.line(sent);
    const message = isStep(line) ? line.sent.find((one) => one.id === id)?.message : line.event;
    const [sender, receiver] = [recording.nodes.names[from]!, recording.nodes.names[to]!];
    return message ? [{ id, from: sender, to: receiver, message, cost }] : [];
  });
}

const placed = ({ id, from, to, message }: Flight, at: number): NetworkLine => ({
  index: 0,
  at,
  kind: 'placed',
  between: [from, to],
  message: id,
  event: message,
  clock: {},
});
