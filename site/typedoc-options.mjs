/**
 * A plugin of typedoc: the options of a function are rows of its table. A user reaches the type of options through the function, so most of
 * these types are not exported and have no page.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Converter, PageEvent, ReflectionKind } from 'typedoc';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourcesIn = (folder) =>
  readdirSync(root + folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !/\.(test|deep|fixtures?)\.ts$/.test(name))
    .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8'));
const namesIn = (texts, pattern) => new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));

const declared = namesIn(
  ['adapters', 'inspector', 'machines', 'network', 'test'].flatMap(sourcesIn),
  /\binterface (\w+Options)\b/g,
);
const exported = namesIn([...sourcesIn('entries'), readFileSync(`${root}index.ts`, 'utf8')], /\btype (\w+Options)\b/g);

/** A row has no column for the default value, so its description ends with it. */
function withDefault({ comment }) {
  const value = comment?.getTag('@defaultValue');
  if (!value) return;
  comment.removeTags('@defaultValue');
  comment.summary.push({ kind: 'text', text: ' Default: ' }, ...value.content);
}

/** The cell of a type that is written out below it, option by option. */
const WRITTEN_OUT = /^(\| `\w+\??` \| )\\\{(?:[^|\\]|\\.)*\| /gm;

export function load({ converter, renderer }) {
  converter.on(Converter.EVENT_BEGIN, ({ inlineType }) => {
    for (const name of declared) if (!exported.has(name)) inlineType.add(name);
  });
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const property of project.getReflectionsByKind(ReflectionKind.Property))
      if (property.parent?.kindOf(ReflectionKind.TypeLiteral)) withDefault(property);
  });
  renderer.on(PageEvent.END, (page) => {
    page.contents = page.contents?.replaceAll(WRITTEN_OUT, '$1`object` | ');
  });
}
