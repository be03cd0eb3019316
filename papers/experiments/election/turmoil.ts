/** Random scenarios for the election: links that change at any time, with separate notifications of each end, and messages of any speed. */
import { Random } from '../../../network/random.js';
import type { Options } from './run.js';

export interface Turmoil {
  readonly seed: number;
  readonly nodes: number;
  readonly changes: number;
  readonly options?: Options;
}

/** Duration of a run in ticks. */
const LASTING = 60;

export function turmoil({ seed, nodes: n, changes, options = {} }: Turmoil) {
  const random = new Random(seed, 'turmoil');
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
  const links = pairs.filter(() => random.chance(0.4));
  const channels = new Map(
    pairs.flatMap(([u, v]) => [
      [`${u} ${v}`, [u, v] as const],
      [`${v} ${u}`, [v, u] as const],
    ]),
  );
  const times = new Map<string, number[]>();
  for (let i = 0; i < changes; i++) {
    const [u, v] = random.pick(pairs);
    for (const channel of [`${u} ${v}`, `${v} ${u}`]) {
      times.set(channel, [...(times.get(channel) ?? []), 1 + random.below(LASTING)]);
    }
  }
  const isUp = (u: string, v: string) => links.some(([a, b]) => (a === u && b === v) || (a === v && b === u));
  const events = [...times].flatMap(([key, at]) => {
    const channel = channels.get(key)!;
    const up = isUp(...channel);
    return at.sort((a, b) => a - b).map((time, i) => ({ at: time, do: up === (i % 2 === 0) ? 'down' : 'up', channel }));
  });
  return {
    protocol: 'election',
    options: { leader: random.pick(nodes), ...options },
    topology: { nodes, links },
    network: { latency: { min: 1, max: 1 + random.below(12) } },
    events,
    seed,
  };
}
