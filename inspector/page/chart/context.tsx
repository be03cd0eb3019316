/** Shows the XState context of each role of a node. Values that the last step changed are marked, with their previous values. */
import type { RoleView } from '../../../machines/protocol.js';
import type { RoleNow } from '../../model/moment.js';
import { valueText } from '../../model/values.js';
import { ContextValue, isFolded, jsonText } from './context-value.js';
import { fieldsOf } from '../../../machines/checks.js';

interface ContextTableProps {
  readonly roles: readonly RoleNow[];
  readonly before: (now: RoleNow) => RoleView | null;
  readonly line: number;
  /** Asks why a key has its value, or why the role is in its state. */
  readonly why: (role: string, key: string | null) => void;
}

export function ContextTable({ roles, before, line, why }: ContextTableProps) {
  if (roles.length === 0) return null;
  return (
    <div class="context" tabIndex={0} role="group" aria-label="context of the selected node">
      {roles.map((now) => (
        <table key={now.role}>
          <caption>
            <b>{now.role}</b>{' '}
            <button type="button" class="link value" title="why is it in this state?" onClick={() => why(now.role, null)}>
              {valueText(now.view.value)}
            </button>
          </caption>
          <tbody>
            {entries(now.view.context).map(([key, value]) => {
              const compared = { value, before: now.since === line ? changed(before(now), key, value) : null };
              return (
                <tr key={key} class={compared.before === null ? '' : 'is-changed'}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      title="why has it this value, and what was it before?"
                      onClick={() => why(now.role, key)}
                    >
                      {key}
                    </button>
                  </th>
                  <td>
                    {isFolded(compared) ? (
                      <ContextValue {...compared} />
                    ) : (
                      <button type="button" class="link" title="what was it over time?" onClick={() => why(now.role, key)}>
                        <ContextValue {...compared} />
                      </button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      ))}
    </div>
  );
}

const entries = (context: unknown): [string, unknown][] =>
  typeof context === 'object' && context !== null ? Object.entries(context) : [];

/** The previous value, or `null` if it is the same. */
function changed(before: RoleView | null, key: string, value: unknown): { readonly value: unknown } | null {
  if (before === null) return null;
  const old = fieldsOf(before.context)[key] ?? null;
  return jsonText(old) === jsonText(value) ? null : { value: old };
}
