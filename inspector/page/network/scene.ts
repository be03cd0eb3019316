/** The content of the network's picture at one moment, without pixels. It is read from the model once for each line. */
import type { Overlay } from '../../../machines/protocol.js';
import { createMetric, type Metric } from '../../../network/topology/metric.js';
import { lastAtMost } from '../../model/columns.js';
import { Interned } from '../../model/interned.js';
import type { Life, Moment } from '../../model/moment.js';
import type { Channel, ReadTrace } from '../../model/recording.js';
import type { Tone } from '../colors.js';

export interface SceneNode {
  readonly tone: Tone;
  readonly badge: string | null;
  readonly life: Life;
  /** The number of its group, in the order of appearance; -1 for none. */
  readonly group: number;
  readonly gauges: readonly Gauge[];
  /** True if the node has begun. Live nodes are drawn from then on. */
  readonly isHere: boolean;
  /** For a node of a program: its states in words, and the number of the first one among all states; -1 for none. */
  readonly state: string;
  readonly stateNumber: number;
}

export interface Gauge {
  readonly name: string;
  /** The number of its name, in the order of appearance. */
  readonly kind: number;
  readonly value: number;
  readonly of: number;
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
  /** True if messages pass from `a` to `b`; the next field is the other direction. */
  readonly there: boolean;
  readonly back: boolean;
}

export interface Scene {
  readonly nodes: readonly SceneNode[];
  readonly pointers: readonly Pointer[];
  readonly marks: readonly EdgeMark[];
}

/** Nodes that send nothing, although no failure detector may report it. */
const LOST: readonly Life[] = ['gone', 'failed'];

const NO_KEEPERS: ReadonlySet<number> = new Set();

/** The most characters below a node. */
const STATE_MAX = 24;

/** The states of all roles, or that of the first one and the number of the others. */
function wordsText(words: readonly string[]): string {
  const all = words.join(', ');
  return all.length <= STATE_MAX || words.length < 2 ? all : `${words[0]}, +${words.length - 1}`;
}

/** Reads what to draw from a trace. Kinds of pointers and groups keep their colors while it is used. */
export class SceneReader {
  readonly pointerKinds = new Interned();
  readonly groups = new Interned();
  readonly gaugeKinds = new Interned();
  private readonly metric: Metric;
  private readonly routes = new Map<string, readonly number[]>();
  private pairs: Channel[] = [];
  private known = 0;
  private linksNow: SceneLink[] = [];
  private readonly read = new WeakMap<Overlay, { pointers: Pointer[]; marks: EdgeMark[] }>();

  private readonly given: ReadonlySet<string>;

  constructor(private readonly recording: ReadTrace) {
    const { nodes = [], links = [] } = recording.header ?? {};
    this.given = new Set(links.map(([a, b]) => `${recording.nodes.find(a)}>${recording.nodes.find(b)}`));
    this.metric = createMetric({ nodes: [...new Set(nodes)], links: links.filter((link) => link[2] >= 0) });
  }

  scene(moment: Moment, refuted: ReadonlySet<number> = NO_KEEPERS): Scene {
    const nodes: SceneNode[] = [];
    const pointers: Pointer[] = [];
    const marks: EdgeMark[] = [];
    for (let number = 0; number < this.recording.nodes.size; number++) {
      const overlay = moment.overlay(number);
      nodes.push({
        ...this.stateOf(moment, number),
        tone: refuted.has(number) ? 'wrong' : (overlay?.tone ?? 'plain'),
        badge: overlay?.badge ?? null,
        life: moment.life(number),
        group: overlay?.group === undefined ? -1 : this.groups.add(overlay.group),
        gauges: (overlay?.gauges ?? []).map((gauge) => ({ ...gauge, kind: this.gaugeKinds.add(gauge.name) })),
      });
      if (!overlay) continue;
      const read = this.readOverlay(number, overlay);
      for (const pointer of read.pointers) pointers.push(pointer);
      for (const mark of read.marks) marks.push(mark);
    }
    return { nodes, pointers, marks };
  }

  private stateOf(moment: Moment, node: number): Pick<SceneNode, 'isHere' | 'state' | 'stateNumber'> {
    const { steps, programs, tally, slotsOf } = this.recording;
    const begins = steps[node]?.[0];
    const isHere = begins === undefined || begins <= moment.line || programs[node] === undefined;
    if (!isHere || programs[node] === undefined) return { isHere, state: '', stateNumber: -1 };
    const numbers = (slotsOf[node] ?? []).map(({ lines, states }) => states[lastAtMost(lines, moment.line)] ?? -1);
    const known = numbers.filter((number) => number >= 0);
    const words = known.map((number) => tally.states.names[number]!.replace(/^.*?: /, ''));
    return { isHere, state: wordsText(words), stateNumber: known[0] ?? -1 };
  }

  /** The same list as before if no channel has changed in the whole trace, and no node has ended. */
  links(moment: Moment): readonly SceneLink[] {
    const { channels } = this.recording;
    if (channels.size !== this.known) {
      this.known = channels.size;
      const second = ({ from, to }: Channel) => from > to && channels.has(`${to}>${from}`);
      this.pairs = [...channels.values()].filter((channel) => channel.from !== channel.to && !second(channel));
      this.linksNow = [];
    }
    if (this.linksNow.length > 0 && !this.changesKnown()) return this.linksNow;
    const lives = Array.from({ length: this.recording.nodes.size }, (_, node) => moment.life(node));
    const isUp = (from: number, to: number) => !LOST.includes(lives[from]!) && moment.channelUp(from, to);
    const status = ({ from, to }: Channel): SceneLink => ({ a: from, b: to, there: isUp(from, to), back: isUp(to, from) });
    const hasEnded = ({ a, b }: SceneLink) => lives[a] === 'ended' || lives[b] === 'ended';
    const isDrawn = (link: SceneLink) =>
      this.isGiven(link) || (!hasEnded(link) && (link.there || link.back || this.recording.programs[link.a] !== undefined));
    this.linksNow = this.pairs.map(status).filter(isDrawn);
    return this.linksNow;
  }

  /** A link of the topology that is down is drawn as cut, as those of programs are; others only came for a while. */
  private isGiven({ a, b }: SceneLink): boolean {
    return this.given.has(`${a}>${b}`) || this.given.has(`${b}>${a}`);
  }

  private changesKnown(): boolean {
    const { channels, ends, header } = this.recording;
    if (header?.live && ends.size > 0) return true;
    for (const { changes } of channels.values()) if (changes.length > 0) return true;
    return false;
  }

  /** The links with their weights; 1 for those that joined later. */
  ends(): { source: number; target: number; weight: number }[] {
    const { header, nodes, channels } = this.recording;
    const weights = new Map(
      (header?.links ?? []).flatMap(([a, b, weight]) => [[`${nodes.find(a)}>${nodes.find(b)}`, weight]] as const),
    );
    return [...channels.values()]
      .filter(({ from, to }) => from < to || (from > to && !channels.has(`${to}>${from}`)))
      .map(({ from, to }) => ({
        source: from,
        target: to,
        weight: weights.get(`${from}>${to}`) ?? weights.get(`${to}>${from}`) ?? 1,
      }));
  }

  /** The nodes that a message passes: its link, or the shortest way where messages are routed. */
  route(from: number, to: number): readonly number[] {
    const key = `${from}>${to}`;
    let route = this.routes.get(key);
    if (!route) this.routes.set(key, (route = this.findRoute(from, to)));
    return route;
  }

  private findRoute(from: number, to: number): number[] {
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
    const pointers = (overlay.pointers ?? []).map(({ to, kind = '' }) => ({
      from: number,
      to: nodes.find(to),
      kind: this.pointerKinds.add(kind),
    }));
    const marks = (overlay.edges ?? []).map(({ to, label, wrong = false }) => ({
      from: number,
      to: nodes.find(to),
      label,
      wrong,
    }));
    const read = { pointers: pointers.filter(({ to }) => to >= 0), marks: marks.filter(({ to }) => to >= 0) };
    this.read.set(overlay, read);
    return read;
  }
}
