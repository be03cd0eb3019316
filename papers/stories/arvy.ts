/** A story in the inspector: Arrow, Ivy and Arvy's bridge serve the same requests on a ring, at different costs. */
import type { Story } from '../../inspector/stories/story.js';

const N = 12;
const node = (i: number): string => `n${i}`;
/** Every node points to the next, and the last one has the token: the ring without one link. */
const chain = {
  root: node(N - 1),
  parents: Object.fromEntries(Array.from({ length: N }, (_, i) => [node(i), node(Math.min(i + 1, N - 1))])),
};
/** First two neighbors across the missing link in turn, then all nodes once around. */
const sequential = [
  ...Array.from({ length: 8 }, (_, i) => node(i % 2 === 0 ? 0 : N - 1)),
  ...Array.from({ length: N - 1 }, (_, i) => node(i + 1)),
];
const run = (options: Readonly<Record<string, unknown>>) => ({
  scenario: {
    protocol: 'directory',
    topology: { kind: 'ring', n: N },
    options: { hold: 1, ...options },
    network: { order: 'unordered' },
    workload: { sequential },
  },
});

export const arvyStory: Story = {
  name: 'arvy',
  title: 'Arrow, Ivy and Arvy on a ring',
  description:
    'One token, twelve nodes, and the same requests three times. Each policy turns its pointers differently, and the costs show it.',
  runs: {
    Arrow: run({ policy: 'arrow', ...chain }),
    Ivy: run({ policy: 'ivy', ...chain }),
    Bridge: run({ policy: 'bridge' }),
  },
  terms: {
    token: 'An object that exists once. Its holder may use the resource, and then passes it to the next node in line.',
    pointer: 'The neighbor that a node asks first. Following the pointers leads to the token from every node.',
    find: 'A message that looks for the token. It goes from node to node, each time where the pointer leads.',
    bridge: 'The edge of the tree that replaces the long way around the ring.',
    policy: 'Where a pointer turns when a find has passed: any node that the find has been at.',
  },
  steps: [
    {
      run: 'Arrow',
      at: 'start',
      node: 'n0',
      text: 'Twelve nodes on a ring, one token, at n11. Every node points along the ring toward the token. So n0 points the long way around, although n11 is its neighbor.',
    },
    {
      run: 'Arrow',
      along: [
        { at: { description: 'n0 was asked' }, text: 'n0 asks.' },
        {
          at: { description: 'n11 received find' },
          text: 'Its find follows the pointers and turns each one around behind it: {cost find} links to reach a neighbor.',
        },
      ],
      at: { description: 'n0 received token' },
      node: 'n0',
      text: 'The token itself comes back by the direct link.',
    },
    {
      run: 'Arrow',
      along: [
        {
          at: { description: 'n11 was asked' },
          text: 'Arrow turns each pointer to the sender of the find, so the tree keeps its shape forever.',
        },
      ],
      at: { before: 'n1 was asked' },
      node: 'n11',
      text: 'n0 and n11 ask in turn, and each time the find goes all the way round: {cost find} after eight requests.',
    },
    {
      run: 'Arrow',
      at: 'end',
      text: 'Then each node asks once, around the ring. The tree fits this well: the finds cost {cost find} at the end.',
    },
    {
      run: 'Ivy',
      comparedTo: 'Arrow',
      at: { description: 'n0 received token' },
      node: 'n5',
      text: 'The same requests with Ivy, next to Arrow. A pointer turns to the requester, not to the sender: after the first find, all nodes on its path point straight at n0.',
    },
    {
      run: 'Ivy',
      comparedTo: 'Arrow',
      along: [{ at: { description: 'n11 was asked' }, text: 'Now the neighbors point at each other.' }],
      at: { before: 'n1 was asked' },
      node: 'n0',
      text: 'Eight requests cost {cost find} where Arrow paid eleven times eight.',
    },
    {
      run: 'Ivy',
      comparedTo: 'Arrow',
      at: 'end',
      text: 'But around the ring Ivy pays: its pointers are shortcuts across the ring that messages must travel in full, again and again. {cost find} at the end.',
    },
    {
      run: 'Bridge',
      comparedTo: 'Ivy',
      at: { before: 'n1 was asked' },
      node: 'n0',
      text: "Arvy allows any choice in between, and this one is made for rings. One edge is the bridge (dashed). A find that crosses it turns the pointers behind it to the requester, as Ivy does; elsewhere Arrow's rule applies. The neighbors' requests cost {cost find}.",
    },
    {
      run: 'Bridge',
      comparedTo: 'Arrow',
      at: 'end',
      text: 'The same requests in the end: {cost find}. On a ring this policy never pays more than five times what the best possible one would. Look at the plot of costs, and go back to the others.',
    },
  ],
};
