/** A story in the inspector: a network is divided, each part elects a leader, and the parts merge again. */
import type { Story } from '../../inspector/stories/story.js';

const scenario = {
  protocol: 'election',
  topology: {
    nodes: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    links: [
      ['a', 'b', 1],
      ['b', 'd', 1],
      ['d', 'c', 1],
      ['c', 'a', 1],
      ['d', 'e', 1],
      ['e', 'f', 1],
      ['e', 'g', 1],
      ['f', 'h', 1],
      ['g', 'h', 1],
    ],
  },
  options: { leader: 'a' },
  events: [
    { at: 10, do: 'cut', link: ['d', 'e'] },
    { at: 40, do: 'join', link: ['d', 'e'] },
  ],
  until: { idle: true },
};

export const merge: Story = {
  name: 'merge',
  title: 'A partition, two leaders, the merge',
  description:
    'A link fails and half of the network has no leader. It notices and elects one. When the link returns, one of the two leaders gives way.',
  runs: { 'The election': { scenario } },
  terms: {
    height: 'A place in an order of all nodes. On every link the arrow points from the higher end to the lower one.',
    'reference level': 'The first part of a height: which search the node is part of, and whether that has turned.',
    reflects: 'Sends the level back with a mark. The mark means that no leader is behind this node.',
    component: 'Nodes that can reach each other, however far round.',
    ticks: 'Units of time in a simulation. A message takes one from a node to the next here.',
  },
  steps: [
    {
      run: 'The election',
      at: 'start',
      node: 'd',
      text: 'Eight nodes, two squares, one link between them. a leads all nodes (the star). Each node has a height, and on every link an arrow points down; all ways down end at the leader.',
    },
    {
      run: 'The election',
      at: { description: 'e noticed link.down' },
      node: 'e',
      along: [{ at: { description: 'went down' }, text: 'The link between the squares is cut.' }],
      text: 'e has lost its last way down. It starts a search: it takes a new reference level, which puts it above all its neighbors, and notifies them.',
    },
    {
      run: 'The election',
      at: { description: 'h received update from g' },
      node: 'h',
      along: [
        {
          at: { description: 'g received update from e' },
          text: 'The search spreads away from e, and each node that has no other way down passes it on.',
        },
      ],
      text: 'h is the last one: it has received the same level from all sides, so there is no leader behind it.',
    },
    {
      run: 'The election',
      at: { description: 'g received update from h' },
      node: 'g',
      text: 'The wave turns. h reflects the level, and the reflected level runs back to where it came from.',
    },
    {
      run: 'The election',
      at: { description: 'announced leader' },
      node: 'e',
      text: 'It has come back to e from everywhere. Now e knows that its part of the network has no leader, and makes itself one. That took {time} ticks in all, the cut was at 10.',
    },
    {
      run: 'The election',
      at: { description: 'h received update from g' },
      node: 'h',
      text: 'Two leaders, one for each part, as intended in a partition. The other square has noticed nothing and has sent no message.',
    },
    {
      run: 'The election',
      at: { description: 'e noticed link.up' },
      node: 'd',
      text: 'The link is back. A component needs one leader. The two ends exchange the leaders that they follow.',
    },
    {
      run: 'The election',
      at: 'end',
      node: 'a',
      text: 'The younger leader wins, so a gives way, and e leads all nodes: {sent update} updates in all. To see another search, cut a link by hand.',
    },
  ],
};
