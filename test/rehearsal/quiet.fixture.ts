import type { Main } from './peer.js';
import { runOnce } from './rehearse.js';
import type { RehearsalFault, RehearsalScenario } from './scenario.js';

/** Two peers to whom nothing happens. */
export const quietScenario: RehearsalScenario = {
  seed: 1,
  seconds: 10,
  peers: ['p0', 'p1'],
  services: [],
  clients: [],
  startsMs: [0, 0],
  skewsMs: [0, 0],
  latencyMs: [1, 2],
  distances: [],
  faults: [],
  knobs: {},
  limits: 'shipped',
};

/**
 * The seconds at which a client records an operation that starts at 0.5 s. In the minute of the run, its broker fails at `atMs` for a
 * second, and nothing else fails except for the options in `more`.
 */
export async function notesOf(
  client: Main,
  broker: Main,
  { what, atMs }: Pick<RehearsalFault, 'what' | 'atMs'>,
  { faults = [], ...more }: Partial<RehearsalScenario> = {},
): Promise<number[]> {
  const fault: RehearsalFault = { what, who: 'broker', other: 'p0', atMs, lastsMs: 1_000, size: 1 };
  const alone = { peers: ['p0'], services: ['broker'], startsMs: [500], skewsMs: [0] };
  const { events } = await runOnce(
    { ...quietScenario, seconds: 60, ...alone, ...more, faults: [fault, ...faults] },
    { judges: [], services: { broker } },
    client,
  );
  return events.flatMap(({ type, at }) => (type === 'note' ? [Math.floor(at / 1_000)] : []));
}
