/** Generated paths as a Vitest file that people can read, keep and change: the transition tours, every step with what it gives. */
import type { Message } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import { createHost } from '../network/hosts.js';
import { graphsOf } from './paths/graph.js';
import { pathsOf, type Expected, type Path } from './paths/paths.js';
import { PATIENCE } from './paths/suite.js';

/** One chart of a protocol on its own: what an emitted test drives. */
export function startChart(
  protocol: Protocol,
  chart: string,
  input: unknown,
): { first: Expected; send(event: Message): Expected } {
  if (!protocol.charts[chart]) {
    throw new UsageError(`protocol ${protocol.name} has no chart "${chart}"; it has ${Object.keys(protocol.charts).join(', ')}`);
  }
  const { role, effects } = createHost('snapshots', protocol.charts).start(chart, input);
  const seen = (effects: Expected['effects']): Expected => {
    const { value, context } = role.view();
    return { value, context, effects };
  };
  return { first: seen(effects), send: (event) => seen(role.send(event)) };
}

/** `importing` brings the protocol in under the name `protocol`. */
export function emitTests(protocol: Protocol, importing: string): string {
  const tours = graphsOf(protocol, PATIENCE).flatMap((graph) =>
    pathsOf(graph, 'tour').map((path, walk) => ({ title: `${graph.chart}, start ${graph.start}, walk ${walk}`, path })),
  );
  const head = [
    `// Transition tours of the protocol ${protocol.name}, made by: quiver test ${protocol.name} --emit`,
    "import { expect, test } from 'vitest';",
    "import { startChart } from 'xstate-quiver/test';",
    importing,
  ];
  return `${head.join('\n')}\n${tours.map(({ title, path }) => emitPath(title, path)).join('')}`;
}

const emitPath = (title: string, { chart, input, first, steps }: Path): string =>
  `
test(${JSON.stringify(title)}, () => {
  const chart = startChart(protocol, ${JSON.stringify(chart)}, ${JSON.stringify(input)});
  expect(chart.first).toEqual(${expectation(first)});
${steps.map(({ event, expected }) => `  expect(chart.send(${JSON.stringify(event)})).toEqual(${expectation(expected)});\n`).join('')}});
`;

const expectation = ({ value, context, effects }: Expected): string =>
  `{
    value: ${JSON.stringify(value)},
    context: ${JSON.stringify(context)},
    effects: [${effects.map((effect) => JSON.stringify(effect)).join(', ')}],
  }`;
