/** Limits of a search, and the text that reports which limit was reached. */
import type { Model } from './model.js';

export interface Bounds {
  /**
   * Maximum number of states.
   *
   * @defaultValue 20 million; unlimited with hash compaction, until memory is full.
   */
  readonly states?: number;
  /**
   * Maximum number of transitions from a first state.
   *
   * @defaultValue unlimited
   */
  readonly depth?: number;
  /**
   * Maximum duration in seconds.
   *
   * @defaultValue unlimited
   */
  readonly seconds?: number;
  /**
   * Memory for states and transitions, in megabytes.
   *
   * @defaultValue 4096
   */
  readonly megabytes?: number;
  /**
   * Maximum number of distinct local states and messages. A finite system has few of them.
   *
   * @defaultValue 400,000
   */
  readonly parts?: number;
}

export interface Progress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  readonly bytes: number;
  readonly seconds: number;
}

export class SearchLimits {
  /** Local states and packets when each depth was reached. */
  private readonly growth: number[] = [];

  constructor(
    private readonly bounds: Bounds,
    private readonly model: Model,
  ) {}

  get states(): number {
    return this.bounds.states ?? 20_000_000;
  }

  get depth(): number {
    return this.bounds.depth ?? Infinity;
  }

  /** The reason reported when states beyond the maximum depth were left out. */
  tooDeep(): string {
    return `states deeper than ${this.depth} transitions${this.stillGrowing()}`;
  }

  /** The reason why the search must stop, or `undefined` while it may continue. */
  exceeded(progress: Progress): string | undefined {
    this.growth[progress.depth] ??= this.parts;
    const bound = this.exceededBound(progress);
    return bound && `${bound}${this.stillGrowing()}`;
  }

  private get parts(): number {
    const { steps, packets } = this.model;
    return steps.locals.size + packets.interned.size;
  }

  private exceededBound({ states, seconds, bytes }: Progress): string | undefined {
    const { bounds } = this;
    const { megabytes = 4096, parts = 400_000 } = bounds;
    if (states > this.states) return `more than ${this.states} states`;
    if (seconds > (bounds.seconds ?? Infinity)) return `more than ${bounds.seconds} seconds`;
    if (bytes > megabytes * 2 ** 20) return `more than ${megabytes} megabytes`;
    return this.parts > parts ? `more than ${parts} different local states and messages` : undefined;
  }

  /**
   * A hint for systems that create new local states or messages at every depth and so may be infinite, with the latest of them.
   */
  private stillGrowing(): string {
    const { system, steps, packets } = this.model;
    const latest = this.growth.slice(-10);
    if (latest.length < 10 || latest.some((parts, i) => i > 0 && parts === latest[i - 1])) return '';
    const { node, view } = steps.locals.interned.all.at(-1)!;
    const states = steps.locals.interned.all.filter((local) => local.node === node).length;
    const message = packets.interned.all.at(-1)?.message;
    const last = message ? ` and ${packets.interned.size} messages, the last ${JSON.stringify(message)}` : '';
    return (
      `. New local states or messages keep appearing, so the system may be infinite: ${states} states of node ${system.nodes[node]}, ` +
      `the last ${JSON.stringify(view)}${last}`
    );
  }
}
