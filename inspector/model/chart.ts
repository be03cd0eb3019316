/**
 * A chart for its picture, read from the machine's config in the header of the trace. It contains the tree of states with their words, and
 * the transitions between them, with targets resolved and events named as XState does.
 *
 * The config comes from a file and may contain anything. Invalid parts are left out, and nothing throws.
 */
import { asList, asRecord, givenList, sourceOf, transitionsOf, wordOf, type ConfigPart } from './chart-config.js';

export interface ChartState {
  /** Dotted path from the root, '' for the root itself, with the keys of a state value. */
  readonly path: string;
  readonly key: string;
  /** The path of the state around it; `null` for the root. Keys may hold dots, so it cannot be read from the path. */
  readonly parent: string | null;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly initial: string | null;
  readonly initialActions: readonly string[];
  readonly children: readonly ChartState[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly tags: readonly string[];
  readonly description: string | null;
  /** The actors that run while it is active. */
  readonly invokes: readonly { readonly id: string; readonly source: string }[];
  /** For a history state: its depth, and the target paths without a memory. */
  readonly history: { readonly depth: 'shallow' | 'deep'; readonly defaults: readonly string[] } | null;
}

export interface ChartTransition {
  readonly source: string;
  /** XState's descriptor; '' for an eventless transition. */
  readonly event: string;
  /** The event for display: `find`, `always`, `after 5 s`, `done`, `loader failed`. */
  readonly label: string;
  /** The event as the coverage of tests counts it: `after 5000`, `loader error`. */
  readonly counted: string;
  /** Its place among the choices of its state for its event. */
  readonly index: number;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Paths; empty for a transition without a target. */
  readonly targets: readonly string[];
  /** True if its source is left and entered again where it could stay. */
  readonly reenter: boolean;
  readonly description: string | null;
}

export interface Chart {
  readonly name: string;
  readonly root: ChartState;
  /** By path, outer states before inner ones. */
  readonly states: ReadonlyMap<string, ChartState>;
  readonly transitions: readonly ChartTransition[];
}

export const transitionKey = (state: string, event: string, index: number): string => `${state}\n${event}\n${index}`;

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

export function readChart(name: string, config: unknown): Chart {
  const reading = new Reading(name, asRecord(config));
  const { states, ids } = reading;
  const resolve = (source: string, target: string): string | null => {
    const inside = (path: string, keys: string) => (keys === '' ? path : join(path, keys));
    const absolute = target.startsWith('#')
      ? resolveId(ids, target.slice(1))
      : target.startsWith('.')
        ? inside(source, target.slice(1))
        : inside(states.get(source)?.parent ?? '', target);
    return absolute !== null && states.has(absolute) ? absolute : null;
  };
  const targetsOf = (source: string, target: unknown): string[] =>
    asList(target).flatMap((one) => (typeof one === 'string' ? (resolve(source, one) ?? []) : []));
  for (const [path, config] of reading.configs) reading.complete(path, targetsOf(path, config['target']));
  const transitions = [...reading.configs].flatMap(([path, config]) =>
    transitionsOf(config, reading.idOf(path), path === '' ? reading.routes() : []).map(({ target, ...transition }) => ({
      ...transition,
      source: path,
      targets: targetsOf(path, target),
    })),
  );
  return { name, root: states.get('')!, states, transitions };
}

/** The states of a config, and their names. */
class Reading {
  readonly states = new Map<string, ChartState & { children: ChartState[] }>();
  readonly configs = new Map<string, ConfigPart>();
  /** Paths by the ids that targets name. */
  readonly ids = new Map<string, string>();
  private readonly idsByPath = new Map<string, string>();
  private readonly rootId: string;

  constructor(name: string, config: ConfigPart) {
    this.rootId = typeof config['id'] === 'string' ? config['id'] : '(machine)';
    this.read(name, [], null, config);
    // A chart without an id in its config is named by its key in the trace.
    if (!this.ids.has(name)) this.ids.set(name, '');
  }

  idOf(path: string): string {
    return this.idsByPath.get(path)!;
  }

  /** States that an event of the root leads to directly. */
  routes(): ConfigPart[] {
    return [...this.configs].flatMap(([path, config]) => {
      const isRoute = path !== '' && typeof config['id'] === 'string' && config['route'] !== undefined;
      return isRoute ? [{ ...asRecord(config['route']), target: `#${String(config['id'])}` }] : [];
    });
  }

  /** A history state's default is known when all states are. */
  complete(path: string, targets: readonly string[]): void {
    const state = this.states.get(path)!;
    if (!state.history) return;
    const around = this.states.get(state.parent ?? '');
    const defaults = targets.length > 0 ? targets : around?.initial ? [around.initial] : [];
    Object.assign(state, { history: { ...state.history, defaults } });
  }

  private read(key: string, keys: readonly string[], parent: string | null, config: ConfigPart): ChartState {
    const path = keys.join('.');
    const id = typeof config['id'] === 'string' ? config['id'] : [this.rootId, ...keys].join('.');
    const inner = Object.entries(asRecord(config['states']));
    const { initial } = config;
    const first = typeof initial === 'string' ? initial : asRecord(initial)['target'];
    const children: ChartState[] = [];
    const kind = kindOf(config, inner.length);
    const state = {
      path,
      key,
      parent,
      kind,
      initial: typeof first === 'string' ? join(path, first.replace(/^\./, '')) : null,
      initialActions: givenList(asRecord(initial)['actions']).map((action) => wordOf(action, 'actions')),
      children,
      entry: givenList(config['entry']).map((action) => wordOf(action, 'entry')),
      exit: givenList(config['exit']).map((action) => wordOf(action, 'exit')),
      tags: asList(config['tags']).filter((tag) => typeof tag === 'string'),
      description: typeof config['description'] === 'string' ? config['description'] : null,
      invokes: givenList(config['invoke']).map((invoke, i) => sourceOf(asRecord(invoke), id, i)),
      history:
        kind === 'history'
          ? { depth: config['history'] === 'deep' ? ('deep' as const) : ('shallow' as const), defaults: [] }
          : null,
    };
    this.configs.set(path, config);
    this.states.set(path, state);
    this.idsByPath.set(path, id);
    this.ids.set(id, path);
    for (const [child, raw] of inner) children.push(this.read(child, [...keys, child], path, asRecord(raw)));
    return state;
  }
}

function kindOf(config: ConfigPart, children: number): ChartState['kind'] {
  const type = config['type'];
  if (type === 'parallel' || type === 'final' || type === 'history') return type;
  if (children > 0) return 'compound';
  return config['history'] ? 'history' : 'atomic';
}

/** `id` or `id.child.grandchild`; ids may hold dots themselves, so the longest one that fits wins. */
function resolveId(ids: ReadonlyMap<string, string>, target: string): string | null {
  for (let cut = target.length; cut > 0; cut = target.lastIndexOf('.', cut - 1)) {
    const path = ids.get(target.slice(0, cut));
    if (path !== undefined) return cut === target.length ? path : join(path, target.slice(cut + 1));
  }
  return null;
}

/** How deep the states of a chart are nested. */
export function depthOf({ states }: Chart): number {
  const depths = new Map<string, number>();
  for (const { path, parent } of states.values()) depths.set(path, parent === null ? 0 : depths.get(parent)! + 1);
  return Math.max(...depths.values());
}

/** True if a state has inner states, drawn or not. */
export const isOuter = ({ kind }: ChartState): boolean => kind === 'compound' || kind === 'parallel';
