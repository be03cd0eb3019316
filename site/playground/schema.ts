/**
 * The keys and values that a JSON Schema allows at a place of a text, for completion in the editor. The packages that do this for CodeMirror bring a Markdown
 * renderer and highlighters of about a megabyte; this needs the few keywords that the schema of scenarios uses.
 */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
}

/** Keys of objects and indices of arrays, from the top of the text. */
export type JsonPath = readonly (string | number)[];

export interface Key {
  readonly name: string;
  readonly isRequired: boolean;
  /** A first value, as JSON; empty for a value without an obvious beginning. */
  readonly start: string;
}

/** The keys that an object at a path may have and does not have yet. */
export function keysAt(schema: Schema, value: unknown, path: JsonPath): readonly Key[] {
  const present = valueAt(value, path);
  const found = new Map<string, Key>();
  for (const { properties = {}, required = [] } of schemasAt(schema, value, path))
    for (const [name, one] of Object.entries(properties)) {
      if (isRecord(present) && Object.hasOwn(present, name)) continue;
      const isRequired = required.includes(name) || (found.get(name)?.isRequired ?? false);
      found.set(name, { name, isRequired, start: found.get(name)?.start || startOf(one) });
    }
  return [...found.values()];
}

/** The values that the schema lists for a path, as JSON. */
export function valuesAt(schema: Schema, value: unknown, path: JsonPath): readonly string[] {
  const listed = schemasAt(schema, value, path).flatMap((one) => [
    ...(one.const === undefined ? [] : [one.const]),
    ...(one.enum ?? []),
    ...(one.type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(listed.map((each) => JSON.stringify(each)))];
}

/** The schemas that apply at a path. Members of a union that contradict the present values are left out. */
function schemasAt(schema: Schema, value: unknown, path: JsonPath): readonly Schema[] {
  let schemas = alternatives(schema, value);
  let here = value;
  for (const step of path) {
    here = childOf(here, step);
    schemas = schemas.flatMap((one) => below(one, step)).flatMap((one) => alternatives(one, here));
  }
  return schemas;
}

function below({ properties, items, prefixItems, additionalProperties }: Schema, step: string | number): readonly Schema[] {
  if (typeof step === 'number') return [prefixItems?.[step] ?? items ?? {}];
  const named = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return [named ?? (typeof additionalProperties === 'object' ? additionalProperties : {})];
}

function alternatives(schema: Schema, value: unknown): readonly Schema[] {
  const { anyOf = [], allOf = [], if: condition, then } = schema;
  const possible = anyOf.filter((one) => !contradicts(one, value));
  const conditional = condition && then && !contradicts(condition, value) && hasAll(condition, value) ? [then] : [];
  return [schema, ...[...possible, ...allOf, ...conditional].flatMap((one) => alternatives(one, value))];
}

/** True if the value has another type, a key that the schema excludes, or a key with such a value. An empty value is still being written. */
function contradicts({ type, properties = {}, additionalProperties }: Schema, value: unknown): boolean {
  if (type !== undefined && value !== null && typeof value === 'object' && type !== (Array.isArray(value) ? 'array' : 'object'))
    return true;
  if (!isRecord(value)) return false;
  const isUnknown = ([name, own]: [string, unknown]) => own !== undefined && !Object.hasOwn(properties, name);
  if (additionalProperties === false && Object.entries(value).some(isUnknown)) return true;
  return Object.entries(properties).some(([name, one]) => {
    const own = value[name];
    const allowed = one.const === undefined ? one.enum : [one.const];
    return allowed !== undefined && typeof own === 'string' && own !== '' && !allowed.includes(own);
  });
}

const hasAll = ({ required = [] }: Schema, value: unknown): boolean =>
  isRecord(value) && required.every((name) => Object.hasOwn(value, name));

function startOf(schema: Schema): string {
  const [one = schema] = alternatives(schema, undefined).filter((each) => each.type !== undefined || each.const !== undefined);
  if (one.const !== undefined) return JSON.stringify(one.const);
  return { object: '{}', array: '[]', string: '""' }[one.type ?? ''] ?? '';
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const childOf = (value: unknown, step: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;

const valueAt = (value: unknown, path: JsonPath): unknown => path.reduce(childOf, value);
