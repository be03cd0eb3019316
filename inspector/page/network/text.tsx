/** The network's picture as tables, for screen readers and for search: nodes, links that are down, and messages in flight. */
import type { MessageRow } from '../../model/messages.js';
import { valueText } from '../../model/values.js';
import { numberText } from '../../model/words.js';
import { moment, recording, selectedNode, selectMessage } from '../state.js';
import type { Scene, SceneLink, SceneNode } from './scene.js';
import { reader } from './picture.js';

const ROWS_MAX = 500;

function marksOf(number: number, node: SceneNode | undefined): string {
  if (!node) return '';
  const program = recording.value.programs[number];
  const group = reader.value?.groups.names[node.group];
  const gauges = node.gauges.map(({ name, value, of }) => `${name} ${value} of ${of}`);
  return [node.badge, node.tone === 'plain' ? null : node.tone, group, program, ...gauges].filter(Boolean).join(', ');
}

interface NetworkTextProps {
  readonly scene: Scene;
  readonly links: readonly SceneLink[];
  readonly flights: readonly MessageRow[];
}

export function NetworkText({ scene, links, flights }: NetworkTextProps) {
  const { names } = recording.value.nodes;
  const kinds = reader.value?.pointerKinds.names ?? [];
  const pointersOf = (node: number) =>
    scene.pointers.filter(({ from }) => from === node).map(({ to, kind }) => `${kinds[kind] || 'pointer'} → ${names[to]}`);
  const down = links.filter(({ there, back }) => !there || !back);
  return (
    <>
      <table>
        <caption>Nodes</caption>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">state</th>
            <th scope="col">mark</th>
            <th scope="col">pointers</th>
          </tr>
        </thead>
        <tbody>
          {names.slice(0, ROWS_MAX).map((name, node) => (
            <tr key={name} aria-selected={node === selectedNode.value}>
              <th scope="row">
                <button type="button" class="link" onClick={() => (selectedNode.value = node)}>
                  {name}
                </button>
              </th>
              <td>
                {scene.nodes[node]?.life !== 'alive' && <b>{scene.nodes[node]?.life} </b>}
                {['crashed', 'failed', 'gone', 'ended'].includes(scene.nodes[node]?.life ?? '')
                  ? ''
                  : moment.value
                      .roles(node)
                      .map(({ role, view }) => `${role}: ${valueText(view.value)}`)
                      .join('; ')}
              </td>
              <td>{marksOf(node, scene.nodes[node])}</td>
              <td>{pointersOf(node).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {names.length > ROWS_MAX && <p>and {names.length - ROWS_MAX} more nodes</p>}
      <h3>Messages on their way</h3>
      <ul>
        {flights.slice(0, ROWS_MAX).map(({ ordinal, type, from, to }) => (
          <li key={ordinal}>
            <button type="button" class="link" onClick={() => selectMessage(ordinal)}>
              {type} from {names[from]} to {names[to]}
            </button>
          </li>
        ))}
        {flights.length === 0 && <li>none</li>}
        {flights.length > ROWS_MAX && <li>and {numberText(flights.length - ROWS_MAX)} more</li>}
      </ul>
      <h3>Channels that are down</h3>
      <ul>
        {down.slice(0, ROWS_MAX).map(({ a, b, there, back }) => (
          <li key={`${a} ${b}`}>
            {names[a]} {there ? '←' : back ? '→' : '↔'} {names[b]}
          </li>
        ))}
        {down.length === 0 && <li>none</li>}
        {down.length > ROWS_MAX && <li>and {numberText(down.length - ROWS_MAX)} more</li>}
      </ul>
    </>
  );
}
