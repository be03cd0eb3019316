/** A story in the inspector: local mutual exclusion deadlocks with the rules as printed, and does not with the corrected ones. */
import type { Story } from '../../inspector/stories/story.js';

const scenario = (rules: string) => ({
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules },
  events: [
    { at: 0, node: 'n0', do: 'lock' },
    { at: 0, node: 'n1', do: 'lock' },
  ],
});

export const deadlock: Story = {
  name: 'deadlock',
  title: 'A deadlock in print, and the corrected rule',
  description:
    'A published algorithm, with a proof that it has no lockouts. The checker finds two nodes that wait for each other forever, and you see why.',
  runs: {
    'As printed': { scenario: scenario('printed'), checked: true },
    Corrected: { scenario: scenario('corrected') },
  },
  terms: {
    checker: 'A program that tries every order in which things can happen, and so finds the ones that go wrong.',
    candidate: 'A node that has asked to lock a neighborhood, and has neither got it nor given up.',
    candidates: 'Nodes that have asked to lock a neighborhood, and have neither got it nor given up.',
    priority: 'A number that a candidate draws for one try. The best one wins, unless two are equal. The losers draw again.',
  },
  steps: [
    {
      run: 'As printed',
      at: 'start',
      node: 'n0',
      text: 'Two nodes, one link. Each wants to lock itself and its neighbor. The algorithm was published with a proof that no node waits forever. The checker has tried every order of events, and this is the shortest one that goes wrong.',
    },
    {
      run: 'As printed',
      at: { description: 'n0 received request from 0' },
      node: 'n0',
      along: [
        {
          at: { description: 'n0 received ready from 1' },
          text: 'n0 has asked all nodes, including itself, whether they are ready, and all are.',
        },
        { at: { description: 'n1 received ready from 1' }, text: 'So has n1.' },
      ],
      text: 'n0 receives its own request first. All candidates that it knows have a priority, so it decides: n0 wins at n0.',
    },
    {
      run: 'As printed',
      at: { description: 'n1 received request from 0' },
      node: 'n1',
      text: 'n1 does the same: n1 wins at n1. Each has a promise from itself, and needs one from the other.',
    },
    {
      run: 'As printed',
      at: { description: 'n0 received request from 1' },
      node: 'n0',
      text: "Only now the other one's requests arrive. A decision needs the priorities of all candidates. At each node the local candidate has not sent its priority, and sends it only after the other node replies.",
    },
    {
      run: 'As printed',
      at: 'end',
      node: 'n1',
      text: 'No message is in flight. n0 waits for n1, and n1 waits for n0: the arrows close a cycle, forever. The proof had overlooked requests that were sent and have not arrived.',
    },
    {
      run: 'Corrected',
      comparedTo: 'As printed',
      at: { description: 'n0 received request from 1' },
      node: 'n0',
      text: 'The corrected rule, the same two nodes. A first request is refused immediately if the priority of another candidate is missing, and its sender draws again. So a first request never waits for another node, and no cycle can close.',
    },
    {
      run: 'Corrected',
      comparedTo: 'As printed',
      at: { description: 'announced locked' },
      node: 'n0',
      text: 'One of them locks both…',
    },
    {
      run: 'Corrected',
      comparedTo: 'As printed',
      at: 'end',
      node: 'n1',
      text: '…and then the other. The checker has also explored every order of events of this system, and finds no deadlock: quiver check.',
    },
  ],
};
