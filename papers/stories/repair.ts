/** A story in the inspector: every node and channel of the queue is corrupted at once, and each edge of the tree repairs itself. */
import type { Story } from '../../inspector/stories/story.js';

const scenario = {
  protocol: 'queue',
  topology: { kind: 'tree', n: 15 },
  events: [
    { at: 1, node: 'n11', do: 'request' },
    { at: 2, node: 'n6', do: 'request' },
    { at: 20, do: 'corrupt' },
    { at: 50, node: 'n8', do: 'request' },
  ],
  seed: 3,
  until: { at: 64 },
};

export const repair: Story = {
  name: 'repair',
  title: 'Corruption, and the wave of repair',
  description:
    'All nodes of a queue without a center are corrupted at once. Each edge of the tree checks itself, and order returns.',
  runs: { 'The queue': { scenario } },
  terms: {
    pointer: 'The neighbor that is closer to the end of the queue, as a node knows it.',
    φ: 'The number of pointers and finds on an edge, counted at both ends and in flight.',
    find: 'The request of a node on its way to the end of the queue.',
    guardian: 'The end of an edge that is closer to the root and repairs the edge.',
    guardians: 'The ends of edges that are closer to the root and repair them.',
    observer: 'A message that goes over an edge and back, and brings what it has counted there.',
    corrupted: 'Set to an arbitrary state, as after an undetected fault.',
  },
  steps: [
    {
      run: 'The queue',
      at: 'start',
      node: 'n0',
      text: 'A tree of fifteen nodes. Each has a pointer toward the end of a queue, which is at n0 (the dot). On every edge φ counts the pointers and finds on it. The state is legal if φ is 1 everywhere.',
    },
    {
      run: 'The queue',
      at: { description: 'n11 received find' },
      node: 'n11',
      along: [
        { at: { description: 'n6 was asked' }, text: 'Two nodes ask.' },
        {
          at: { description: 'n0 received find' },
          text: 'A find turns the pointers on its way, and where it ends the requester has its place behind the one before.',
        },
      ],
      text: 'Here n6 is queued behind n11.',
    },
    {
      run: 'The queue',
      at: { description: 'n14 was corrupted' },
      node: 'n2',
      along: [
        {
          at: { description: 'n0 was corrupted' },
          text: 'Now everything is corrupted at once: pointers, guardians, and the messages on their way.',
        },
      ],
      text: 'Red edges have a φ that is not 1. Several nodes think that the queue ends with them; others lead nowhere.',
    },
    {
      run: 'The queue',
      at: { at: 24 },
      node: 'n2',
      text: 'No node is notified, and no node is in charge. Each edge has a guardian at its upper end, which regularly sends an observer across and counts the results.',
    },
    {
      run: 'The queue',
      at: { at: 28 },
      node: 'n2',
      text: 'A guardian that counts too few puts a pointer on its edge, one that counts too many takes one away or waits for it. Edges heal one by one, all at the same time, whatever their neighbors do.',
    },
    {
      run: 'The queue',
      at: { before: 'n8 was asked' },
      node: 'n0',
      text: 'No edge is red. Every pointer leads to one end of the queue again, after a time that does not depend on how large the tree is. See the red line fall in the last plot.',
    },
    {
      run: 'The queue',
      at: 'end',
      node: 'n8',
      text: 'And it works: a request that comes after finds its place. To try worse, press "intervene" and corrupt a node yourself.',
    },
  ],
};
