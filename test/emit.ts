/**
 * Emits generated paths as a readable Vitest file: the transition tours of the charts, every step with its result, and the walks through
 * systems, every choice with its result.
 */
import type { AnyMessage } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Protocol } from '../machines/protocol.js';
import { createHost } from '../network/world/hosts.js';
import { graphsOf } from './paths/graph.js';
import { pathsOf, type Expected, type Path } from './paths/paths.js';
import { SEARCH_PATIENCE } from './paths/suite.js';
import { describe } from '../network/transcript.js';
import type { Choice } from '../network/world/choice.js';
import { onProtocol } from './system/systems.js';
import { systemWalks, type SystemWalk } from './system/tours.js';
import { RunningSystem } from './system/walk.js';
import { requireProtocol } from '../network/scenario/required.js';

/**
 * One chart of a protocol on its own, without a network: what an emitted test drives. `first` and each `send` give the state, the
 * context and the effects that were asked for.
 *
 * @param protocol the protocol.
 * @param chart the name of one of its charts.
 * @param input the input of the chart.
 * @returns the first result, and `send` for the next ones.
 * @throws UsageError for a chart that the protocol does not have.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { startChart } from 'xstate-quiver/check';
 *
 * const { input } = directory.samples['directory']![0]!;
 * const chart = startChart(directory, 'directory', input);
 * console.log(chart.first.value, chart.send({ type: 'request' }).value);
 * ```
 * @public
 */
export function startChart(
  protocol: Protocol,
  chart: string,
  input: unknown,
): { first: Expected; send(event: AnyMessage): Expected } {
  requireProtocol('startChart', protocol);
  if (!protocol.charts[chart]) {
    throw new UsageError(
      `Protocol ${protocol.name} has no chart "${chart}". Its charts are ${Object.keys(protocol.charts).join(', ')}.`,
    );
  }
  const { role, effects } = createHost('snapshots', protocol).start(chart, input);
  const seen = (effects: Expected['effects']): Expected => {
    const { value, context } = role.view();
    // As a file can hold it: JSON knows no -0.
    return JSON.parse(JSON.stringify({ value, context, effects }));
  };
  return { first: seen(effects), send: (event) => seen(role.send(event)) };
}

/**
 * Starts one system of a protocol in which the test makes every choice. Each choice returns its result, in words.
 *
 * @param protocol the protocol.
 * @param scenario The JSON of a scenario. Its times have no effect.
 * @returns `make`, which takes a choice and returns the resulting lines.
 * @throws UsageError if the scenario is invalid. `make` throws it for a choice that is not possible now.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { startSystem } from 'xstate-quiver/check';
 *
 * const system = startSystem(directory, {
 *   protocol: 'directory',
 *   topology: { kind: 'path', n: 2 },
 *   events: [{ at: 0, node: 'n1', do: 'request' }],
 * });
 * console.log(system.make({ event: 0 }), system.make({ deliver: 0 }));
 * ```
 * @public
 */
export function startSystem(protocol: Protocol, scenario: Readonly<Record<string, unknown>>): { make(choice: Choice): string[] } {
  requireProtocol('startSystem', protocol);
  const running = new RunningSystem(onProtocol(scenario, protocol), protocol, 'snapshots');
  running.take();
  return { make: (choice) => running.make(choice).map(describe) };
}

/**
 * The transition tours of a protocol's charts and the walks through its systems as the text of a Vitest file, for people to read,
 * keep and change. `quiver test PROTOCOL --emit` writes it.
 *
 * @param importing the line of the file that brings the protocol in under the name `protocol`.
 */
export function emitTests(protocol: Protocol, importing: string): string {
  requireProtocol('emitTests', protocol);
  const tours = graphsOf(protocol, SEARCH_PATIENCE).flatMap((graph) =>
    pathsOf(graph, 'tour').map((path, walk) => ({ title: `${graph.chart}, start ${graph.start}, walk ${walk}`, path })),
  );
  const walks = systemWalks(protocol).walks.map((walk, i) => emitWalk(`system ${walk.system.index}, walk ${i}`, walk, protocol));
  const head = [
    `// Transition tours of the protocol ${protocol.name} and walks through its systems, made by: quiver test ${protocol.name} --emit`,
    "import { expect, test } from 'vitest';",
    "import { startChart, startSystem } from 'xstate-quiver/check';",
    importing,
  ];
  return `${head.join('\n')}\n${tours.map(({ title, path }) => emitPath(title, path)).join('')}${walks.join('')}`;
}

const emitPath = (title: string, { chart, input, first, steps }: Path): string =>
  `
test(${JSON.stringify(title)}, () => {
  const chart = startChart(protocol, ${JSON.stringify(chart)}, ${JSON.stringify(input)});
  expect(chart.first).toEqual(${expectation(first)});
${steps.map(({ event, expected }) => `  expect(chart.send(${JSON.stringify(event)})).toEqual(${expectation(expected)});\n`).join('')}});
`;

function emitWalk(title: string, { system, choices }: SystemWalk, protocol: Protocol): string {
  const running = startSystem(protocol, system.json);
  const steps = choices.map((choice) => {
    const lines = running.make(choice).map((line) => `    ${JSON.stringify(line)},\n`);
    return `  expect(system.make(${JSON.stringify(choice)})).toEqual([\n${lines.join('')}  ]);\n`;
  });
  return `
test(${JSON.stringify(title)}, () => {
  const system = startSystem(protocol, ${JSON.stringify(system.json)});
${steps.join('')}});
`;
}

const expectation = ({ value, context, effects }: Expected): string =>
  `{
    value: ${JSON.stringify(value)},
    context: ${JSON.stringify(context)},
    effects: [${effects.map((effect) => JSON.stringify(effect)).join(', ')}],
  }`;
