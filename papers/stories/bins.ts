/** A story in the inspector: permits of the resource controller move down a tree in bins, wait near the requesting nodes, and run out. */
import type { Story } from '../../inspector/stories/story.js';

/** One node requests ten times, and then all nodes in turn until long after the permits are exhausted. */
const sequential = [...Array.from({ length: 10 }, () => 'n7'), ...Array.from({ length: 160 }, (_, i) => `n${1 + ((3 * i) % 8)}`)];

const scenario = {
  protocol: 'controller',
  topology: { kind: 'path', n: 9 },
  options: { kind: 'basic', M: 150, W: 120, root: 'n0' },
  workload: { sequential },
  until: { idle: true },
};

export const bins: Story = {
  name: 'bins',
  title: 'Bins that fill, serve and run dry',
  description:
    'Permits come down from the root in bins that wait near the requesting nodes. Most requests are granted nearby, and never too many.',
  runs: { 'The controller': { scenario } },
  terms: {
    permits: 'A unit of the budget. Each permit is granted once, to one request.',
    permit: 'A unit of the budget. Each permit is granted once, to one request.',
    bin: 'Permits that are stored at a node for later requests.',
    W: 'The number of permits that may be left in bins when the first request is refused: the waste.',
    M: 'The number of permits.',
  },
  steps: [
    {
      run: 'The controller',
      at: 'start',
      node: 'n7',
      text: 'Nine nodes on a path, and a budget of 150 permits, all of them at the root n0. Each node has a small bin for its own requests, and below the root a larger one for the nodes beneath it; bins are larger the farther they reach.',
    },
    {
      run: 'The controller',
      at: { description: 'n7 received permit' },
      node: 'n4',
      along: [
        { at: { description: 'n7 was asked' }, text: 'n7 asks for one permit.' },
        {
          at: { description: 'n0 received request' },
          text: 'All bins are empty, so the request goes the whole way: {sent request} messages up.',
        },
      ],
      text: 'But the root sends more than was asked for, and half of it stays in each bin on the way down.',
    },
    {
      run: 'The controller',
      at: { before: 'n1 was asked' },
      node: 'n6',
      text: 'n7 asks nine times more. Most of these requests are answered next door: ten permits for {sent request} request messages in all. Asking the root each time would have taken seventy.',
    },
    {
      run: 'The controller',
      at: { description: 'announced exhausted' },
      node: 'n0',
      text: 'Now each node asks in turn, and bins fill and drain along the path. Here the root has no permits left.',
    },
    {
      run: 'The controller',
      at: 'end',
      node: 'n8',
      text: 'From now on requests are refused: the red nodes. A controller may refuse while up to W permits are in bins elsewhere. It never grants more than M.',
    },
  ],
};
