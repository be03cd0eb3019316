/**
 * The nodes of a trace as a tree: programs, their actors and the children of each, and cluster actors by kind. Siblings that have stopped
 * fold into one row, because an application may start an actor for each job.
 */
import { STOPPED, type Life } from './moment.js';
import { idOf } from './words.js';

export interface ProgramRow {
  readonly kind: 'program';
  readonly key: string;
  readonly level: number;
  readonly name: string;
  readonly running: number;
  readonly isOpen: boolean;
}

/** The actors of one kind in a cluster, which move between programs. */
export interface KindRow {
  readonly kind: 'kind';
  readonly key: string;
  readonly level: number;
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
}

export interface ActorRow {
  readonly kind: 'actor';
  readonly key: string;
  readonly level: number;
  readonly node: number;
  /** Its id below its parent or program. */
  readonly label: string;
  /** `null` for an actor without children. */
  readonly isOpen: boolean | null;
}

export interface StoppedRow {
  readonly kind: 'stopped';
  readonly key: string;
  readonly level: number;
  /** The siblings that stopped, without their children. */
  readonly nodes: readonly number[];
  readonly label: string;
  readonly isOpen: boolean;
}

export type TreeRow = ProgramRow | KindRow | ActorRow | StoppedRow;

export interface ActorTreeInput {
  readonly names: readonly string[];
  /** By node, with holes: its program and its parent. */
  readonly programs: readonly (string | undefined)[];
  readonly parents: readonly (number | undefined)[];
  /** By node, with holes: the kind of a cluster actor. */
  readonly groups: readonly (string | undefined)[];
  readonly lifeOf: (node: number) => Life;
  /** True if the node exists at this moment. */
  readonly isHere: (node: number) => boolean;
  /** The rows that a viewer has opened or closed. */
  readonly toggled: ReadonlySet<string>;
  /** The nodes that a filter keeps, with what is above them; `null` without a filter. */
  readonly matches: ((node: number) => boolean) | null;
}

export function treeRows(input: ActorTreeInput): readonly TreeRow[] {
  const { names, programs, groups, isHere } = input;
  const parents = parentsOf(input);
  const tree = new Tree(input, childrenOf(parents));
  const roots = new Map<string | undefined, number[]>();
  const kinds = new Map<string, number[]>();
  for (let node = 0; node < names.length; node++) {
    if (!isHere(node) || parents[node] !== undefined) continue;
    const kind = groups[node];
    if (kind === undefined) add(roots, programs[node], node);
    else add(kinds, prefixOf(names[node]!, kind), node);
  }
  const programRows = [...roots].flatMap(([program, nodes]) =>
    program === undefined ? tree.siblings('', nodes, 1, '') : tree.program(program, nodes),
  );
  return [...programRows, ...[...kinds].flatMap(([prefix, nodes]) => tree.kind(prefix, nodes))];
}

/** The start of an actor's name: its kind, after the name of the cluster if the page shows several. */
function prefixOf(name: string, kind: string): string {
  const own = `${kind}/`;
  return name.startsWith(own) ? own : name.slice(0, name.indexOf(`/${own}`) + own.length + 1);
}

function add<K>(lists: Map<K, number[]>, key: K, node: number): void {
  const known = lists.get(key);
  if (known) known.push(node);
  else lists.set(key, [node]);
}

/** A kind with more actors is closed at first. */
const KIND_OPEN_MAX = 100;

/** Actors at deeper levels are shown next to their parents. */
const LEVELS_MAX = 50;

/** A trace may claim that actors are parents of each other. Only an actor that appeared earlier counts as a parent. */
function parentsOf({ names, parents, isHere }: ActorTreeInput): (number | undefined)[] {
  const levels: number[] = [];
  return names.map((_, node) => {
    const parent = parents[node];
    const level = parent === undefined || parent >= node || !isHere(parent) ? 0 : levels[parent]! + 1;
    const isBelow = level > 0 && level <= LEVELS_MAX && isHere(node);
    levels[node] = isBelow ? level : 0;
    return isBelow ? parent : undefined;
  });
}

function childrenOf(parents: readonly (number | undefined)[]): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const [node, parent] of parents.entries()) {
    if (parent === undefined) continue;
    add(children, parent, node);
  }
  return children;
}

class Tree {
  constructor(
    private readonly input: ActorTreeInput,
    private readonly children: ReadonlyMap<number, readonly number[]>,
  ) {}

  program(name: string, nodes: readonly number[]): readonly TreeRow[] {
    const key = `program ${name}`;
    const isOpen = this.isOpen(key, true);
    const within = this.siblings(key, nodes, 2, `${name}/`);
    if (this.input.matches && within.length === 0) return [];
    const running = this.countRunning(nodes);
    return [{ kind: 'program', key, level: 1, name, running, isOpen }, ...(isOpen ? within : [])];
  }

  kind(prefix: string, nodes: readonly number[]): readonly TreeRow[] {
    const key = `kind ${prefix}`;
    const { matches } = this.input;
    const isOpen = this.isOpen(key, matches !== null || nodes.length <= KIND_OPEN_MAX);
    const kept = matches ? nodes.filter((node) => this.isKept(node)) : nodes;
    if (kept.length === 0) return [];
    const row: KindRow = { kind: 'kind', key, level: 1, name: prefix.slice(0, -1), count: kept.length, isOpen };
    return [row, ...(isOpen ? this.siblings(key, kept, 2, prefix) : [])];
  }

  siblings(key: string, nodes: readonly number[], level: number, prefix: string): readonly TreeRow[] {
    const stopped = nodes.filter((node) => this.hasStopped(node));
    const isFolded = stopped.length > 1;
    const shown = isFolded ? nodes.filter((node) => !this.hasStopped(node)) : nodes;
    const rows = shown.flatMap((node) => this.actor(node, level, prefix));
    return isFolded ? [...rows, ...this.fold(`stopped ${key}`, stopped, level, prefix)] : rows;
  }

  private fold(key: string, stopped: readonly number[], level: number, prefix: string): readonly TreeRow[] {
    const { matches } = this.input;
    const kept = matches ? stopped.filter((node) => this.isKept(node)) : stopped;
    if (kept.length === 0) return [];
    const failed = kept.filter((node) => this.input.lifeOf(node) === 'failed').length;
    const of = matches ? ` of ${stopped.length.toLocaleString('en-US')}` : '';
    const label = `${kept.length.toLocaleString('en-US')}${of} stopped${failed > 0 ? `, ${failed.toLocaleString('en-US')} failed` : ''}`;
    const isOpen = this.isOpen(key, matches !== null);
    const within = isOpen ? kept.flatMap((node) => this.actor(node, level + 1, prefix)) : [];
    return [{ kind: 'stopped', key, level, nodes: kept, label, isOpen }, ...within];
  }

  private actor(node: number, level: number, prefix: string): readonly TreeRow[] {
    if (!this.isKept(node)) return [];
    const name = this.input.names[node]!;
    const own = this.children.get(node) ?? [];
    const key = `actor ${name}`;
    const isOpen = own.length === 0 ? null : this.isOpen(key, true);
    const label = name.startsWith(prefix) ? name.slice(prefix.length) : idOf(name);
    const row: ActorRow = { kind: 'actor', key, level, node, label, isOpen };
    return [row, ...(isOpen ? this.siblings(key, own, level + 1, `${name}/`) : [])];
  }

  private readonly kept = new Map<number, boolean>();

  /** True if a filter keeps the node or a node below it. */
  private isKept(node: number): boolean {
    const { matches } = this.input;
    if (!matches) return true;
    let isKept = this.kept.get(node);
    if (isKept === undefined) {
      isKept = matches(node) || (this.children.get(node) ?? []).some((child) => this.isKept(child));
      this.kept.set(node, isKept);
    }
    return isKept;
  }

  private readonly stopped = new Map<number, boolean>();

  private hasStopped(node: number): boolean {
    let stopped = this.stopped.get(node);
    if (stopped === undefined) {
      stopped =
        STOPPED.includes(this.input.lifeOf(node)) && (this.children.get(node) ?? []).every((child) => this.hasStopped(child));
      this.stopped.set(node, stopped);
    }
    return stopped;
  }

  private countRunning(nodes: readonly number[]): number {
    return nodes.reduce(
      (sum, node) => sum + (STOPPED.includes(this.input.lifeOf(node)) ? 0 : 1) + this.countRunning(this.children.get(node) ?? []),
      0,
    );
  }

  private isOpen(key: string, byDefault: boolean): boolean {
    return this.input.toggled.has(key) !== byDefault;
  }
}
