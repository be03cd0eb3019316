/**
 * Coverage of a chart in the format of lcov. The chart becomes a text with one line for each state and each transition, and lcov records
 * refer to these lines. Guards are branches, and states are functions.
 */
import type { AnyStateMachine } from 'xstate';
import { configOf, rulesOf, statesOf } from '../charts/config.js';
import { guardItem, type Item } from '../coverage/items.js';
import { describeChoice } from '../mutants/render.js';

interface Line {
  readonly text: string;
  readonly item: Item | null;
  readonly guarded?: string;
}

function listing(machine: AnyStateMachine): readonly Line[] {
  const config = configOf(machine);
  const rules = [...rulesOf(config)];
  return [...statesOf(config)].flatMap(([name, _], i): Line[] => [
    { text: i === 0 ? machine.id : name, item: i === 0 ? null : `state ${name}` },
    ...rules
      .filter(({ state }) => state === name)
      .map(({ id, event, choice }): Line => ({
        text: `  ${event}${describeChoice(choice)}`,
        item: `transition ${id}`,
        ...(choice.guard !== undefined && { guarded: id }),
      })),
  ]);
}

/** The chart as text, the "source file" to which an lcov report refers. */
export const chartListing = (machine: AnyStateMachine): string =>
  listing(machine)
    .map(({ text }) => `${text}\n`)
    .join('');

/** lcov records of one chart, its listing in this file. */
export function lcovOf(machine: AnyStateMachine, counts: Readonly<Record<Item, number>>, file: string): string {
  const lines = listing(machine);
  const records = [`TN:${machine.id}`, `SF:${file}`];
  const each = (found: (line: Line, at: number) => readonly string[]) => lines.flatMap((line, i) => found(line, i + 1));
  const count = (item: Item) => counts[item] ?? 0;
  const states = lines.filter(({ item }) => item?.startsWith('state '));
  records.push(...each(({ item, text }, at) => (item?.startsWith('state ') ? [`FN:${at},${text}`] : [])));
  records.push(...states.map(({ item, text }) => `FNDA:${count(item!)},${text}`));
  records.push(`FNF:${states.length}`, `FNH:${states.filter(({ item }) => count(item!) > 0).length}`);
  const branches = each(({ guarded }, at) =>
    guarded === undefined
      ? []
      : [true, false].map((outcome, i) => `BRDA:${at},0,${i},${count(guardItem(guarded, outcome)) || '-'}`),
  );
  records.push(...branches, `BRF:${branches.length}`, `BRH:${branches.filter((branch) => !branch.endsWith('-')).length}`);
  const counted = lines.filter(({ item }) => item !== null);
  records.push(...each(({ item }, at) => (item === null ? [] : [`DA:${at},${count(item)}`])));
  records.push(`LF:${counted.length}`, `LH:${counted.filter(({ item }) => count(item!) > 0).length}`, 'end_of_record');
  return `${records.join('\n')}\n`;
}
