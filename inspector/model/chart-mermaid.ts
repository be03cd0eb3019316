/**
 * A chart as a state diagram of Mermaid, for issues and README files. Mermaid has no history states and no forks: a history state is a
 * state with its letter, and a transition with several targets is one line for each.
 */
import { labelOf, notesOf } from './chart-words.js';
import type { Chart, ChartState } from './chart.js';

export function mermaidOf(chart: Chart): string {
  const ids = new Map([...chart.states.keys()].map((path, i) => [path, `s${i}`]));
  const labels = labelsOf(chart);
  const lines = ['stateDiagram-v2'];
  const add = (depth: number, line: string) => lines.push(`${'  '.repeat(depth)}${line}`);
  const state = (one: ChartState, depth: number): void => {
    const id = ids.get(one.path)!;
    const name = one.history ? `${one.history.depth === 'deep' ? 'H*' : 'H'} ${one.key}` : one.key;
    add(depth, `state "${escaped(name)}" as ${id}${one.children.length > 0 ? ' {' : ''}`);
    if (one.children.length > 0) {
      if (one.kind !== 'parallel' && ids.has(one.initial ?? '')) add(depth + 1, `[*] --> ${ids.get(one.initial!)}`);
      for (const [i, child] of one.children.entries()) {
        if (one.kind === 'parallel' && i > 0) add(depth + 1, '--');
        state(child, depth + 1);
      }
      for (const child of one.children) if (child.kind === 'final') add(depth + 1, `${ids.get(child.path)} --> [*]`);
      add(depth, '}');
    }
    const internal = chart.transitions.filter(({ source, targets }) => source === one.path && targets.length === 0);
    for (const line of [...notesOf(one), ...internal.map((transition) => labels.get(transition)!)])
      add(depth, `${id} : ${escaped(line)}`);
  };
  state(chart.root, 1);
  for (const transition of chart.transitions)
    for (const target of transition.targets)
      add(1, `${ids.get(transition.source)} --> ${ids.get(target)} : ${escaped(labels.get(transition)!)}`);
  return `${lines.join('\n')}\n`;
}

function labelsOf({ transitions }: Chart): ReadonlyMap<Chart['transitions'][number], string> {
  const guarded = new Set<string>();
  return new Map(
    transitions.map((transition) => {
      const choice = `${transition.source}\n${transition.event}`;
      const { lines } = labelOf(transition, guarded.has(choice));
      if (transition.guard !== null) guarded.add(choice);
      return [transition, lines.map((line) => line.trim()).join(' ')];
    }),
  );
}

/** Characters that end a line or begin another construct of Mermaid. */
const escaped = (text: string): string =>
  text
    .trim()
    .replaceAll(/[#;"<>{}]/g, (character) => `#${character.codePointAt(0)};`)
    .replaceAll('\n', ' ');
