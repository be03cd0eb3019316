/** Shows the protocol's properties with their verdicts, the violated ones first. A click on a violation moves the playhead to its line. */
import { numberText } from '../model/words.js';
import { More } from './more.js';
import { recording, selectedNode, showLine, timed, verdict } from './state.js';

const HOLDS = { true: 'holds', false: 'violated', null: 'unknown' } as const;

export function Properties() {
  const { findings, endless } = verdict.value;
  return (
    <ul class="properties" tabIndex={0} aria-label="properties">
      {findings.map(({ property, kind, description, holds, line, nodes }) => (
        <li key={property} class={holds === false ? 'is-violated' : ''} data-holds={String(holds)}>
          <b>{property}</b> {kind !== null && <span class="kind">{kind}</span>}{' '}
          {line === null ? (
            <span class="holds">{HOLDS[`${holds}`]}</span>
          ) : (
            <button type="button" class="link" onClick={() => showLine(line)}>
              violated at {timed.value ? numberText(recording.value.at(line)) : `line ${line + 1}`}
            </button>
          )}
          {nodes.length > 0 && <NodeList names={nodes} />}
          {kind === 'eventually' && holds === false && endless && <Endless {...endless} />}
          <p>{description}</p>
        </li>
      ))}
      {findings.length === 0 && <li class="empty">This trace lists no properties.</li>}
    </ul>
  );
}

/** The most nodes that are readable at once. */
const NODES_SHOWN = 12;

/** The nodes at which a property is violated. */
export const NodeList = ({ names }: { names: readonly string[] }) => (
  <span>
    for{' '}
    {names.slice(0, NODES_SHOWN).map((name, i) => (
      <>
        {i > 0 && ' and '}
        <button type="button" class="link" onClick={() => (selectedNode.value = recording.value.nodes.find(name))}>
          {name}
        </button>
      </>
    ))}
    {names.length > NODES_SHOWN && ' '}
    <More names={names.slice(NODES_SHOWN)} />
  </span>
);

/** The part of a counterexample that repeats forever, or the state in which it stays. */
export const Endless = ({ from, rests }: { from: number; rests: boolean }) => (
  <span>
    {rests ? 'It rests forever from ' : 'It loops forever from '}
    <button type="button" class="link" onClick={() => showLine(from)}>
      line {from + 1}
    </button>
    {rests ? ': nothing more can happen.' : '.'}
  </span>
);
