/** Shows one value of a context: short values in one line, long ones as a tree to expand. Each part shows its value before the step. */
import { useState } from 'preact/hooks';

/** Longer texts are folded. */
const SHORT = 80;
/** The most parts that are shown at once. */
const PARTS = 100;

interface Compared {
  readonly value: unknown;
  /** `null` if it is unknown or has not changed. */
  readonly before: { readonly value: unknown } | null;
}

export const jsonText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export const isFolded = ({ value, before }: Compared): boolean =>
  jsonText(value).length > SHORT || (before !== null && jsonText(before.value).length > SHORT);

export function ContextValue(compared: Compared) {
  return isFolded(compared) ? <Folded {...compared} /> : <Short {...compared} />;
}

function Short({ value, before }: Compared) {
  const [text, old] = [jsonText(value), before && jsonText(before.value)];
  return (
    <>
      {old !== null && old !== text && (
        <>
          <del>{old}</del> →{' '}
        </>
      )}
      {text}
    </>
  );
}

/** The inner value is rendered on demand. */
function Folded({ value, before }: Compared) {
  const [isOpen, setOpen] = useState(false);
  const text = jsonText(value);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {text.slice(0, SHORT)}
        {text.length > SHORT && '…'}
      </summary>
      {isOpen && (hasParts(value) ? <Parts value={value} before={before} /> : <Short value={value} before={before} />)}
    </details>
  );
}

type Parted = Readonly<Record<string, unknown>>;

const hasParts = (value: unknown): value is Parted => typeof value === 'object' && value !== null;

function Parts({ value, before }: Compared & { readonly value: Parted }) {
  const [count, setCount] = useState(PARTS);
  const was = before !== null && hasParts(before.value) ? before.value : null;
  const keys = [...new Set([...Object.keys(value), ...Object.keys(was ?? {})])];
  // Changed parts are always shown.
  const shown = keys.filter((key, place) => place < count || isChanged(key, value, was));
  return (
    <ul>
      {shown.map((key) => (
        <Part key={key} name={key} value={value} was={was} />
      ))}
      {keys.length > shown.length && (
        <li>
          <button type="button" class="link" onClick={() => setCount(count + PARTS)}>
            {keys.length - shown.length} more
          </button>
        </li>
      )}
    </ul>
  );
}

function isChanged(key: string, value: Parted, was: Parted | null): boolean {
  if (was === null) return false;
  return !(Object.hasOwn(value, key) && Object.hasOwn(was, key) && jsonText(was[key]) === jsonText(value[key]));
}

function Part({ name, value, was }: { name: string; value: Parted; was: Parted | null }) {
  const isThere = Object.hasOwn(value, name);
  const before = was && Object.hasOwn(was, name) ? { value: was[name] } : null;
  const isOther = isChanged(name, value, was);
  return (
    <li class={isOther ? 'is-changed' : ''}>
      <span class="key">{name}:</span>{' '}
      {isThere ? <ContextValue value={value[name]} before={isOther ? before : null} /> : <del>{jsonText(before!.value)}</del>}
    </li>
  );
}
