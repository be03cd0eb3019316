/** What the picture of the network shows at one moment, free of pixels: read from the model once for each line. */
import type { Overlay } from '../../../machines/protocol.js';
import { createMetric, type Metric } from '../../../network/topology/metric.js';
import { Interned } from '../../model/interned.js';
import type { Moment } from '../../model/moment.js';
import type { Recording } from '../../model/recording.js';
import type { Tone } from '../colors.js';

export interface SceneNode {
  readonly tone: Tone;
  readonly badge: string | null;
  readonly runs: boolean;
}

export interface Pointer {
  readonly from: number;
  readonly to: number;
  /** The number of its kind, in the order of appearance. */
  readonly kind: number;
}

export interface EdgeMark {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly wrong: boolean;
}

export interface SceneLink {
  readonly a: number;
  readonly b: number;
  /** Whether messages pass from `a` to `b`, and back. */
  readonly there: boolean;
  readonly back: boolean;
}

export interface Scene {
  readonly nodes: readonly SceneNode[];
  readonly pointers: readonly Pointer[];
  readonly marks: readonly EdgeMark[];
}

/** Pointer kinds keep their colours while one looks at one recording. */
export class SceneReader {
  readonly pointerKinds = new Interned();
  private readonly metric: Metric;
  private readonly read = new WeakMap<Overlay, { pointers: Pointer[]; marks: EdgeMark[] }>();

  constructor(private readonly recording: Recording) {
    const { nodes = [], links = [] } = recording.header ?? {};
    this.metric = createMetric({ nodes: [...new Set(nodes)], links: links.filter((link) => link[2] >= 0) });
  }

  scene(moment: Moment): Scene {
    const nodes: SceneNode[] = [];
    const pointers: Pointer[] = [];
    const marks: EdgeMark[] = [];
    for (let number = 0; number < this.recording.nodes.size; number++) {
      const overlay = moment.overlay(number);
      nodes.push({ tone: overlay?.tone ?? 'plain', badge: overlay?.badge ?? null, runs: moment.runs(number) });
      if (!overlay) continue;
      const read = this.readOverlay(number, overlay);
      for (const pointer of read.pointers) pointers.push(pointer);
      for (const mark of read.marks) marks.push(mark);
    }
    return { nodes, pointers, marks };
  }

  links(moment: Moment): SceneLink[] {
    const links: SceneLink[] = [];
    for (const { from, to } of this.recording.channels.values()) {
      const isSecond = from > to && this.recording.channels.has(`${to}>${from}`);
      if (!isSecond) links.push({ a: from, b: to, there: moment.channelUp(from, to), back: moment.channelUp(to, from) });
    }
    return links;
  }

  /** The nodes that a message passes: its link, or the shortest way where messages are routed. */
  route(from: number, to: number): number[] {
    const { names } = this.recording.nodes;
    if (this.recording.channels.has(`${from}>${to}`) || from === to) return [from, to];
    const known = (node: number) => this.metric.rank(names[node]!) >= 0;
    const path = known(from) && known(to) ? this.metric.path(names[from]!, names[to]!) : undefined;
    return path ? path.map((name) => this.recording.nodes.find(name)) : [from, to];
  }

  /** Overlays are objects that the recording keeps for a while, so what is read of one is kept with it. */
  private readOverlay(number: number, overlay: Overlay) {
    const known = this.read.get(overlay);
    if (known) return known;
    const { nodes } = this.recording;
    const pointers = (overlay.pointers ?? []).map(({ to, kind = '' }) => ({ from: number, to: nodes.find(to), kind: this.pointerKinds.add(kind) }));
    const marks = (overlay.edges ?? []).map(({ to, label, wrong = false }) => ({ from: number, to: nodes.find(to), label, wrong }));
    const read = { pointers: pointers.filter(({ to }) => to >= 0), marks: marks.filter(({ to }) => to >= 0) };
    this.read.set(overlay, read);
    return read;
  }
}
