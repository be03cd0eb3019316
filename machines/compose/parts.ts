/**
 * The names of a composition: every name in a part (role, chart, message, command, notice) begins with the name of the part and a dot.
 *
 * A part never sees the prefix: its charts, properties, corrupt states and accounts use the names of the protocol. These functions add the
 * prefix on the way out and remove it on the way in.
 */
import { fieldsOf } from '../checks.js';
import type { Message } from '../effects.js';
import type { Configuration, Flight, Instance, NodeView, Protocol, Step } from '../protocol.js';
import { commandTaken } from './stack.js';

/** The options of a composition: those of each part by its name. */
export type PartsOptions = Readonly<Record<string, unknown>>;

export class Part {
  readonly prefix: string;

  constructor(
    readonly name: string,
    readonly protocol: Protocol,
  ) {
    this.prefix = `${name}.`;
  }

  owns(name: string): boolean {
    return name.startsWith(this.prefix);
  }

  outer(name: string): string {
    return this.prefix + name;
  }

  inner(name: string): string {
    return name.slice(this.prefix.length);
  }

  outerMessage<M extends Message>(message: M): M {
    return { ...message, type: this.outer(message.type) };
  }

  innerMessage<M extends Message>(message: M): M {
    return { ...message, type: this.inner(message.type) };
  }

  instance(instance: Instance): Instance {
    return { ...instance, options: fieldsOf(instance.options)[this.name] };
  }

  /** The roles of this part. */
  node(view: NodeView): NodeView {
    return this.entries(view, ([role, { chart, ...rest }]) => [this.inner(role), { ...rest, chart: this.inner(chart) }]);
  }

  /** The view with new roles for this part. */
  replaced(view: NodeView, roles: NodeView): NodeView {
    const others = Object.entries(view).filter(([role]) => !this.owns(role));
    return Object.fromEntries([...others, ...Object.entries(this.outerNode(roles))]);
  }

  outerNode(view: NodeView): NodeView {
    return Object.fromEntries(
      Object.entries(view).map(([role, { chart, ...rest }]) => [this.outer(role), { ...rest, chart: this.outer(chart) }]),
    );
  }

  /** The messages of this part. */
  flights(flights: readonly Flight[]): readonly Flight[] {
    return flights.flatMap((flight) =>
      this.owns(flight.message.type) ? [{ ...flight, message: this.innerMessage(flight.message) }] : [],
    );
  }

  /** The configuration of only this part. */
  configuration(c: Configuration): Configuration {
    return new PartConfiguration(this, c);
  }

  /** The step of only this part; `null` if it concerns only other parts. */
  step(taken: Step, view: NodeView | undefined): Step | null {
    const command = commandTaken(taken, view);
    const step: Step = command ? { ...taken, kind: 'command', event: command, role: undefined } : taken;
    const sent = this.flights(step.sent);
    const emitted = step.emitted.flatMap((notice) => (this.owns(notice.type) ? [this.innerMessage(notice)] : []));
    const isOwn = this.owns(step.event.type) || (step.role !== undefined && this.owns(step.role));
    if (!isOwn && sent.length === 0 && emitted.length === 0 && isOfOnePart(step)) return null;
    const event = this.owns(step.event.type) ? this.innerMessage(step.event) : step.event;
    const role = step.role !== undefined && this.owns(step.role) ? this.inner(step.role) : undefined;
    return { ...step, event, role, sent, emitted };
  }

  private entries<T>(view: Readonly<Record<string, T>>, change: (entry: [string, T]) => [string, T]): Record<string, T> {
    return Object.fromEntries(
      Object.entries(view)
        .filter(([role]) => this.owns(role))
        .map(change),
    );
  }
}

/** The roles and messages of a part, read when they are used. */
class PartConfiguration implements Configuration {
  readonly instance: Instance;
  private views: Configuration['nodes'] | undefined;
  private inFlight: Configuration['flights'] | undefined;

  constructor(
    private readonly part: Part,
    private readonly whole: Configuration,
  ) {
    this.instance = part.instance(whole.instance);
  }

  get nodes() {
    return (this.views ??= new Map([...this.whole.nodes].map(([id, view]) => [id, this.part.node(view)])));
  }

  get flights() {
    return (this.inFlight ??= this.part.flights(this.whole.flights));
  }

  get links() {
    return this.whole.links;
  }

  get crashed() {
    return this.whole.crashed ?? [];
  }

  get everCrashed() {
    return this.whole.everCrashed ?? [];
  }
}

const isOfOnePart = ({ kind }: Step): boolean => kind === 'deliver' || kind === 'command' || kind === 'timer';
