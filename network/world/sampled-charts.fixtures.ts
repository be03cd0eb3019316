import { protocols } from '../../machines/index.js';

/** Every chart of every protocol with its samples. */
export const sampledCharts = Object.values(protocols).flatMap((protocol) =>
  Object.entries(protocol.samples).map(([chart, samples]) => ({
    name: `${protocol.name}/${chart}`,
    machine: protocol.charts[chart]!,
    samples,
  })),
);
