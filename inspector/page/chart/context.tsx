/** The contexts of a node's roles, what the last step changed in them marked, with what it was before. */
import type { RoleView } from '../../../machines/protocol.js';
import type { RoleNow } from '../../model/moment.js';
import { valueText } from '../../model/values.js';

const VALUE_CHARACTERS_MAX = 200;

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
              const old = now.since === line ? oldValue(before(now), key, value) : null;
              return (
                <tr key={key} class={old === null ? '' : 'is-changed'}>
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
                    {old !== null && (
                      <>
                        <del>{old}</del> →{' '}
                      </>
                    )}
                    <button type="button" class="link" title="what was it over time?" onClick={() => why(now.role, key)}>
                      {value}
                    </button>
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

const entries = (context: unknown): [string, string][] =>
  typeof context === 'object' && context !== null ? Object.entries(context).map(([key, value]) => [key, show(value)]) : [];

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}

/** `null` where it is the same. */
function oldValue(before: RoleView | null, key: string, value: string): string | null {
  if (before === null) return null;
  const old = show((before.context as Record<string, unknown>)[key] ?? null);
  return old === value ? null : old;
}
