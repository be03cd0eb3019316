/**
 * A trace as Perfetto and Chrome's tracing read it (the JSON trace event format): each node a process, each of its roles a track of the
 * states it was in, each message an arrow from the state that sent it to the one that took it. A tick is a millisecond.
 */
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { sentence } from '../model/words.js';
import { valueText } from '../model/values.js';
import { timedSteps } from './timeline.js';

const MICROSECONDS = 1000;

interface Slice {
  readonly name: string;
  readonly since: number;
  readonly args: unknown;
}

export function perfettoTrace(header: TraceHeader, lines: readonly TraceLine[]): string {
  const steps = timedSteps(header, lines);
  const end = (steps.at(-1)?.at ?? 0) + 1;
  const pids = new Map(header.nodes.map((node, i) => [node, i + 1]));
  const tracks = new Map<string, { readonly pid: number; readonly tid: number; open: Slice | null }>();
  const events: object[] = [];
  const pidOf = (node: string): number => {
    if (!pids.has(node)) pids.set(node, pids.size + 1);
    return pids.get(node)!;
  };
  const trackOf = (node: string, role: string) => {
    const key = JSON.stringify([node, role]);
    let track = tracks.get(key);
    if (!track) tracks.set(key, (track = { pid: pidOf(node), tid: tracks.size + 1, open: null }));
    return track;
  };
  const close = (track: { readonly pid: number; readonly tid: number; open: Slice | null }, at: number) => {
    if (!track.open) return;
    const { name, since, args } = track.open;
    const { pid, tid } = track;
    events.push({ ph: 'X', pid, tid, name, ts: since * MICROSECONDS, dur: (at - since) * MICROSECONDS, args });
  };
  for (const { step, line, at, cause } of steps) {
    const { node, roles, role } = step;
    for (const [name, view] of Object.entries(roles)) {
      const track = trackOf(node, name);
      close(track, at);
      track.open = view && { name: valueText(view.value), since: at, args: view.context };
    }
    const { pid, tid } = trackOf(node, role ?? Object.keys(roles)[0] ?? step.kind);
    const ts = at * MICROSECONDS;
    events.push({ ph: 'i', s: 't', pid, tid, ts, name: step.event.type, args: { line: line + 1, says: sentence(step) } });
    if (!cause) continue;
    const from = trackOf(cause.step.node, cause.step.role ?? Object.keys(cause.step.roles)[0] ?? cause.step.kind);
    const flow = { cat: 'message', name: step.event.type, id: line + 1 };
    events.push({ ph: 's', ...flow, pid: from.pid, tid: from.tid, ts: cause.at * MICROSECONDS });
    events.push({ ph: 'f', bp: 'e', ...flow, pid, tid, ts });
  }
  for (const track of tracks.values()) close(track, end);
  const names = [
    ...[...pids].map(([name, pid]) => ({ ph: 'M', pid, name: 'process_name', args: { name } })),
    ...[...tracks].map(([key, { pid, tid }]) => ({
      ph: 'M',
      pid,
      tid,
      name: 'thread_name',
      args: { name: (JSON.parse(key) as string[])[1] },
    })),
  ];
  return `${JSON.stringify({ displayTimeUnit: 'ms', traceEvents: [...names, ...events] })}\n`;
}
