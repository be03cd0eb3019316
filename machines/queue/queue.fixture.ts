/** A fixed tree of four nodes, for whole runs of the queue. */
export const nodes = ['n0', 'n1', 'n2', 'n3'];
export const fixed = {
  protocol: 'queue',
  options: { root: 'n0', tree: 'fixed', parents: { n0: 'n0', n1: 'n0', n2: 'n0', n3: 'n1' }, tau: 2 },
  topology: {
    nodes,
    links: [
      ['n0', 'n1', 1],
      ['n0', 'n2', 1],
      ['n1', 'n3', 1],
    ],
  },
  network: { latency: 1, order: 'fifo' },
};
