/**
 * A chart as the picture needs it, read from the machine's own config in the header of the trace: the tree of states and the
 * transitions between them, targets resolved as XState resolves them.
 *
 * The config comes from a file and may be anything; what is not understood is left out, nothing throws.
 */
export interface ChartState {
  /** Dotted path from the root, '' for the root itself: the same words as in a state value. */
  readonly path: string;
  readonly key: string;
  /** The path of the state around it; `null` for the root. Keys may hold dots, so it cannot be read from the path. */
  readonly parent: string | null;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly initial: string | null;
  readonly children: readonly ChartState[];
}

export interface ChartTransition {
  readonly source: string;
  /** '' for an eventless transition. */
  readonly event: string;
  /** Its place among the choices of its state for its event. */
  readonly index: number;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Paths; none for a transition that stays where it is. */
  readonly targets: readonly string[];
}

export interface Chart {
  readonly name: string;
  readonly root: ChartState;
  /** By path, outer states before inner ones. */
  readonly states: ReadonlyMap<string, ChartState>;
  readonly transitions: readonly ChartTransition[];
}

type Json = Readonly<Record<string, unknown>>;

const asRecord = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

export function readChart(name: string, config: unknown): Chart {
  const states = new Map<string, ChartState>();
  const configs = new Map<string, Json>();
  const ids = new Map<string, string>();

  const readState = (key: string, path: string, parent: string | null, raw: unknown): ChartState => {
    const config = asRecord(raw);
    const inner = Object.entries(asRecord(config['states']));
    const initial = typeof config['initial'] === 'string' ? join(path, config['initial']) : null;
    const children: ChartState[] = [];
    const state: ChartState = { path, key, parent, kind: kindOf(config, inner.length), initial, children };
    configs.set(path, config);
    states.set(path, state);
    if (typeof config['id'] === 'string') ids.set(config['id'], path);
    for (const [child, raw] of inner) children.push(readState(child, join(path, child), path, raw));
    return state;
  };
  const root = readState(name, '', null, config);
  const rootId = asRecord(config)['id'];
  ids.set(typeof rootId === 'string' ? rootId : name, '');

  const resolve = (source: string, target: string): string | null => {
    const absolute = target.startsWith('#')
      ? resolveId(ids, target.slice(1))
      : join(target.startsWith('.') ? source : (states.get(source)?.parent ?? ''), target.replace(/^\./, ''));
    return absolute !== null && states.has(absolute) ? absolute : null;
  };
  const transitions = [...states.keys()].flatMap((path) => transitionsOf(path, configs.get(path)!, resolve));
  return { name, root, states, transitions };
}

function kindOf(config: Json, children: number): ChartState['kind'] {
  const type = config['type'];
  if (type === 'parallel' || type === 'final' || type === 'history') return type;
  return children > 0 ? 'compound' : 'atomic';
}

/** `id` or `id.child.grandchild`; ids may hold dots themselves, so the longest one that fits wins. */
function resolveId(ids: ReadonlyMap<string, string>, target: string): string | null {
  for (let cut = target.length; cut > 0; cut = target.lastIndexOf('.', cut - 1)) {
    const path = ids.get(target.slice(0, cut));
    if (path !== undefined) return cut === target.length ? path : join(path, target.slice(cut + 1));
  }
  return null;
}

function transitionsOf(
  source: string,
  config: Json,
  resolve: (source: string, target: string) => string | null,
): ChartTransition[] {
  const events: [string, unknown][] = [
    ...Object.entries(asRecord(config['on'])),
    ['', config['always']],
    ['done', config['onDone']],
  ];
  return events.flatMap(([event, candidates]) =>
    asList(candidates).map((candidate, index) => {
      const { target, guard, actions } = asRecord(typeof candidate === 'string' ? { target: candidate } : candidate);
      const targets = asList(target).flatMap((name) => (typeof name === 'string' ? (resolve(source, name) ?? []) : []));
      return {
        source,
        event,
        index,
        guard: guard === undefined ? null : wordOf(guard),
        actions: asList(actions).map(wordOf),
        targets,
      };
    }),
  );
}

/** A guard or action as one reads it: its name, and the name of the function that computes its parameters. */
function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { type, params } = asRecord(value);
  if (typeof type !== 'string') return '?';
  return typeof params === 'string' ? `${type} ${params}` : type;
}
