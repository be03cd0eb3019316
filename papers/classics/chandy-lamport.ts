/** Chandy and Lamport's snapshot over another protocol. It promises that the recorded state keeps all promises of the protocol. */
import { defineProtocol, UsageError, type Configuration, type Property, type Protocol } from '../../index.js';
import type { NodeView } from '../../machines/protocol.js';
import { others, classicRoles } from './common.js';
import { withRecorder, type RecordedSnapshot } from './chandy-lamport.chart.js';
import { suzukiKasami } from './suzuki-kasami.js';

type Watched = { readonly snapshot: RecordedSnapshot };
const snapshotOf = (view: NodeView) => (Object.values(view)[0]!.context as Watched).snapshot;
const valueOf = (path: string): any =>
  path.split('.').reduceRight<any>((inner, key) => (inner === undefined ? key : { [key]: inner }), undefined);

/** Recorded snapshot as a state of the watched protocol; `null` until all nodes have completed it. */
export function recordedState(c: Configuration): Configuration | null {
  if (classicRoles(c).some(({ value }) => (value as { recorder: string }).recorder !== 'recorded')) return null;
  const flights = [...c.nodes].flatMap(([to, view]) =>
    snapshotOf(view).channels.map(({ from, ...message }, id) => ({ id, from, to, message, cost: 1 })),
  );
  const nodes = [...c.nodes].map(([id, view]) => {
    const [role, { chart }] = Object.entries(view)[0]!;
    const { path, context } = snapshotOf(view).state!;
    return [id, { [role]: { chart, value: valueOf(path), context } }] as const;
  });
  return { instance: c.instance, links: c.links, nodes: new Map(nodes), flights };
}

const ofRecorded = (property: Property): Property[] => {
  const { name, kind, description, holds } = property;
  if (kind !== 'always') return [];
  const isKept = (c: Configuration | null) => c === null || holds(c);
  return [
    {
      name: `recorded: ${name}`,
      description: `In the snapshot: ${description}`,
      kind,
      holds: (c) => isKept(recordedState(c)),
    },
  ];
};
const snapshotEnds: Property = {
  name: 'a snapshot ends',
  description: 'A node that has begun to record eventually finishes recording.',
  kind: 'eventually',
  when: ({ nodes }, node) => snapshotOf(nodes.get(node)!).state !== null,
  holds: ({ nodes }, node) => snapshotOf(nodes.get(node)!).state !== null && snapshotOf(nodes.get(node)!).awaited.length === 0,
};

/** The protocol with an additional command `snapshot`, accepted at any node. */
export function snapshotOver(watched: Protocol): Protocol {
  const { charts, messages = {}, commands, reactions, options, route } = watched;
  const types = Object.keys(messages);
  return defineProtocol<unknown>(
    {
      name: 'chandy-lamport',
      charts: Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, withRecorder(chart, types)])),
      network: { reach: 'routed', order: 'fifo' },
      options,
      roles: (id, instance) => {
        const [start, second] = watched.roles(id, instance);
        if (second)
          throw new UsageError(`${watched.name} has several roles at ${id}. Take snapshots of a protocol with one role.`);
        return [{ ...start!, input: { others: others(id, instance), input: start!.input } }];
      },
      route,
      messages: { ...messages, marker: {} },
      commands: { ...commands, snapshot: {} },
      reactions,
    },
    { properties: (instance) => [...watched.properties(instance).flatMap(ofRecorded), snapshotEnds] },
    { paper: 'Chandy, Lamport: Distributed Snapshots, Determining Global States of Distributed Systems (ACM TOCS 3(1), 1985)' },
  );
}

export const chandyLamport = snapshotOver(suzukiKasami as Protocol);
