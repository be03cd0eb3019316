/** Costs of a directory run, compared with the optimum and with the paper's bounds (spec 1.5 and 1.6, invariant 8). */
import type { NodeId } from '../effects.js';
import type { Configuration, Meter, Observer, Instance, Step } from '../protocol.js';
import type { DirectoryOptions } from './options.js';
import type { DirectoryNotification } from './machine.js';
import { requestsOf, DirectoryStepProperties } from './step-properties.js';
import { directoryContext, holdsToken, tokens } from './view.js';

export class DirectoryAccount implements Observer {
  private findMessages = 0;
  private tokenMessages = 0;
  private findCost = 0;
  private tokenCost = 0;
  private opt = 0;
  private served: NodeId[] = [];
  private lastRequester: NodeId;
  private outstanding = 0;
  /** True while no requests have overlapped, the condition of OPT. */
  private sequential = true;
  /** Phi and cost at the last grant, if the potential argument applies. */
  private potential: { phi: number; cost: number; opt: number; holds: boolean } | null;
  private readonly initialBridge: number;
  private readonly ofSteps: DirectoryStepProperties;

  constructor(private readonly instance: Instance<DirectoryOptions>) {
    const { root, bridgeOwner, parents } = instance.options;
    this.ofSteps = new DirectoryStepProperties(instance.options);
    this.lastRequester = root;
    this.initialBridge = bridgeOwner === null ? 0 : instance.distance(bridgeOwner, parents[bridgeOwner]!);
    const phi = bridgeOwner === null ? 0 : 2 * this.initialBridge + 4 * instance.distance(root, parents[bridgeOwner]!);
    this.potential = bridgeOwner === null ? null : { phi, cost: 0, opt: 0, holds: true };
  }

  record(step: Step<DirectoryNotification>, c: Configuration): void {
    this.ofSteps.record(step, c);
    for (const { message, cost } of step.sent) {
      if (message.type === 'find') {
        this.findMessages++;
        this.findCost += cost;
      } else {
        this.tokenMessages++;
        this.tokenCost += cost;
      }
    }
    if (step.kind === 'command' && step.event.type === 'request') this.request(step.node);
    for (const notification of step.emitted)
      if (notification.type === 'granted') this.grant(step.node, requestsOf(notification), c);
  }

  disturbed(): void {
    this.ofSteps.disturb();
  }

  private request(node: NodeId): void {
    if (this.outstanding++ > 0) this.sequential = false;
    this.opt += this.instance.distance(this.lastRequester, node);
    this.lastRequester = node;
  }

  private grant(node: NodeId, requests: number, c: Configuration): void {
    this.outstanding -= requests;
    for (let i = 0; i < requests; i++) this.served.push(node);
    if (!this.potential || !this.sequential) return;
    const phi = this.phi(node, c);
    const { cost, opt, holds } = this.potential;
    const paid = this.findCost - cost + phi - this.potential.phi;
    const allowed = 5 * (this.opt - opt);
    this.potential = { phi, cost: this.findCost, opt: this.opt, holds: holds && paid <= allowed + 1e-9 * Math.max(1, allowed) };
  }

  /** Phi = 2·|bridge| + 4·d(token, the bridge's end on the token's side), with the token at `holder` and no find in flight. */
  private phi(holder: NodeId, c: Configuration): number {
    const owner = bridgeOwnerOf(c)!;
    const target = directoryContext(c.nodes.get(owner)!).parent;
    return 2 * this.instance.distance(owner, target) + 4 * this.instance.distance(holder, target);
  }

  summary(c: Configuration) {
    const opt = this.sequential ? this.opt : null;
    const holder = [...c.nodes].find(([, node]) => holdsToken(node));
    return {
      findMessages: this.findMessages,
      tokenMessages: this.tokenMessages,
      findCost: this.findCost,
      tokenCost: this.tokenCost,
      opt,
      ratio: opt ? this.findCost / opt : null,
      parents: Object.fromEntries([...c.nodes].map(([id, node]) => [id, directoryContext(node).parent])),
      bridgeOwner: this.instance.options.policy === 'bridge' ? bridgeOwnerOf(c) : null,
      holder: tokens(c).length > 0 ? null : (holder?.[0] ?? null),
      served: this.served,
    };
  }

  meters(): Meter[] {
    if (!this.sequential) return [];
    const bound = this.costBound();
    return [{ name: 'findCost', measured: this.findCost, bound, ratio: bound ? this.findCost / bound : null }];
  }

  /** The paper's bound on find cost for sequential requests; `null` if the paper states none. */
  private costBound(): number | null {
    const { policy } = this.instance.options;
    if (policy === 'bridge') return 5 * this.opt + 2 * this.initialBridge;
    if (policy === 'arrow') return stretch(this.instance) * this.opt;
    return null;
  }

  properties() {
    const results = this.ofSteps.properties();
    if (!this.potential) return results;
    return [...results, { name: 'potential', kind: 'always' as const, holds: this.sequential ? this.potential.holds : null }];
  }
}

function bridgeOwnerOf(c: Configuration): NodeId | null {
  return [...c.nodes].find(([, node]) => directoryContext(node).edge === 'bridge')?.[0] ?? null;
}

/** Maximum ratio of a path along the start tree to the shortest path. A link of the topology reaches it. */
function stretch({ topology, distance, options }: Instance<DirectoryOptions>): number {
  const { parents } = options;
  const depths = depthsOf(parents);
  const along = (a: NodeId, b: NodeId): number => {
    let walked = 0;
    let [u, v] = [a, b];
    while (u !== v) {
      if (depths.get(u)! < depths.get(v)!) [u, v] = [v, u];
      walked += distance(u, parents[u]!);
      u = parents[u]!;
    }
    return walked;
  };
  let most = 1;
  for (const [a, b] of topology.links) if (distance(a, b) > 0) most = Math.max(most, along(a, b) / distance(a, b));
  return most;
}

/** Number of pointers between each node and the root. */
function depthsOf(parents: Readonly<Record<NodeId, NodeId>>): Map<NodeId, number> {
  const depths = new Map<NodeId, number>();
  for (const node of Object.keys(parents)) {
    const walk: NodeId[] = [];
    let at = node;
    for (; !depths.has(at) && parents[at] !== at; at = parents[at]!) walk.push(at);
    let depth = depths.get(at) ?? 0;
    depths.set(at, depth);
    for (const below of walk.reverse()) depths.set(below, ++depth);
  }
  return depths;
}
