/** The nodes as a tree: program, actor, child, each with its kind, its state and its last event. */
import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { lastAtMost } from '../model/columns.js';
import { eventRow } from '../model/event-rows.js';
import { treeRows, type ActorRow, type TreeRow } from '../model/actor-tree.js';
import { valueText } from '../model/values.js';
import { IconButton } from './panel.js';
import { isTreeOpen } from './shell.js';
import { stateStyle } from './state-names.js';
import { currentLine, growing, moment, recording, selectedNode } from './state.js';
import { VirtualList } from './virtual.js';

const ROW_HEIGHT = 40;

const filter = signal('');
const toggled = signal<ReadonlySet<string>>(new Set());
/** The row that the keys act on. */
const activeKey = signal<string | null>(null);

const words = computed(() => filter.value.trim().toLowerCase());

const rows = computed((): readonly TreeRow[] => {
  const { nodes, programs, parents, groups, steps, header } = growing();
  const now = moment.value;
  const isHere = (node: number) => header?.live !== true || (steps[node]?.[0] ?? 0) <= now.line;
  const matches = (node: number) => textOf(node).toLowerCase().includes(words.value);
  const lifeOf = (node: number) => now.life(node);
  const given = { names: nodes.names.slice(0, nodes.size), programs, parents, groups, lifeOf, isHere, toggled: toggled.value };
  return treeRows({ ...given, matches: words.value === '' ? null : matches });
});

/** The text that a filter searches. */
const textOf = (node: number): string =>
  [
    recording.value.nodes.names[node],
    recording.value.logics[node],
    ...moment.value.roles(node).map(({ view }) => valueText(view.value)),
  ].join(' ');

const active = computed(() => {
  const byKey = rows.value.findIndex(({ key }) => key === activeKey.value);
  return byKey >= 0 ? byKey : rows.value.findIndex((row) => row.kind === 'actor' && row.node === selectedNode.value);
});

export function ActorTree() {
  const all = rows.value;
  return (
    <section class="panel panel-tree" aria-labelledby="title-tree">
      <header class="panel-head">
        <h2 id="title-tree">{growing().header?.protocol === 'programs' ? 'Actors' : 'Nodes'}</h2>
        <IconButton label="close the tree" icon="M6 6l12 12M18 6 6 18" onPress={() => (isTreeOpen.value = false)} />
      </header>
      <div class="filter">
        <input
          type="text"
          aria-label="filter the actors"
          placeholder="Filter"
          value={filter.value}
          onInput={({ currentTarget: { value } }) => (filter.value = value)}
          onKeyDown={(event) => event.key === 'Escape' && (filter.value = '')}
        />
      </div>
      <VirtualList
        class="tree"
        role="tree"
        aria-label="actors"
        tabIndex={0}
        aria-activedescendant={all[active.value] && idOfRow(active.value)}
        onKeyDown={onTreeKey}
        count={all.length}
        rowHeight={ROW_HEIGHT}
        current={active.value}
        row={(index) => <Row key={all[index]!.key} row={all[index]!} index={index} />}
      />
      {all.length === 0 && <p class="empty">{words.value === '' ? 'No actor has started.' : 'No actor matches.'}</p>}
    </section>
  );
}

const idOfRow = (index: number): string => `tree-row-${index}`;

/** A fold that hides the selected node is marked in its place. */
const isSelected = (row: TreeRow): boolean =>
  row.kind === 'actor'
    ? row.node === selectedNode.value
    : row.kind === 'stopped' && !row.isOpen && row.nodes.includes(selectedNode.value);

function Row({ row, index }: { row: TreeRow; index: number }) {
  const { key, level, isOpen } = row;
  return (
    <div
      id={idOfRow(index)}
      role="treeitem"
      aria-level={level}
      aria-expanded={isOpen ?? undefined}
      aria-selected={isSelected(row)}
      class={`tree-row is-${row.kind}${index === active.value ? ' is-active' : ''}`}
      style={{ '--level': level - 1 }}
      onClick={() => choose(row)}
    >
      <span
        class="twist"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          activeKey.value = key;
          if (isOpen !== null) toggle(key);
        }}
      >
        {isOpen === null ? '' : isOpen ? '▾' : '▸'}
      </span>
      {row.kind === 'actor' ? (
        <Actor row={row} />
      ) : (
        <span class="name">
          <b>{row.kind === 'stopped' ? row.label : row.name}</b>{' '}
          {row.kind === 'program' && <span class="muted">{row.running.toLocaleString('en-US')} running</span>}
          {row.kind === 'kind' && <span class="muted">{row.count.toLocaleString('en-US')} in the cluster</span>}
        </span>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  promise: 'promise',
  callback: 'callback',
  observable: 'observable',
  transition: 'reducer',
  actor: 'actor',
};

/** How it stands: that it does not run, what a protocol marks it with, or the states of its roles. */
function chipsOf(node: number): readonly JSX.Element[] {
  const life = moment.value.life(node);
  const { badge = '', tone = 'plain' } = moment.value.overlay(node) ?? {};
  if (life !== 'alive') return [<span class={`chip is-${life}`}>{life}</span>];
  if (badge !== '')
    return [
      <span class="chip" style={{ '--state': `var(--${tone}-fill)` }}>
        {badge}
      </span>,
    ];
  return moment.value.roles(node).map(({ role, view }) => {
    const state = valueText(view.value);
    return (
      <span class="chip" key={role} style={{ '--state': stateStyle(view.chart, state) }}>
        {state}
      </span>
    );
  });
}

function Actor({ row: { node, label } }: { row: ActorRow }) {
  const { logics, steps, nodes } = recording.value;
  const kind = KINDS[logics[node] ?? ''];
  const own = steps[node] ?? [];
  const last = own[lastAtMost(own, currentLine.value)];
  const event = last === undefined ? null : eventRow(recording.value, last);
  const host = nodes.names[moment.value.host(node)];
  const isFailed = moment.value.life(node) === 'failed' && last !== undefined;
  const error = isFailed ? String(recording.value.step(last)?.event['error'] ?? '') : '';
  const [chip, ...more] = chipsOf(node);
  return (
    <span class="actor" title={nodes.names[node]}>
      <span class="name">
        <b>{label}</b>
        {kind !== undefined && <i class="muted">{kind}</i>}
      </span>
      <span class="now">
        {chip}
        <span class="rest">
          {more}
          <span class="muted">
            {host !== undefined && <b>on {host} </b>}
            {error !== '' ? <span class="error">{error}</span> : event?.type}
          </span>
        </span>
      </span>
    </span>
  );
}

function toggle(key: string): void {
  const next = new Set(toggled.value);
  if (!next.delete(key)) next.add(key);
  toggled.value = next;
}

function choose(row: TreeRow): void {
  activeKey.value = row.key;
  if (row.kind === 'actor') selectedNode.value = row.node;
  else toggle(row.key);
}

/** Keys of a tree as in the ARIA pattern: they move, open and close. Letters are the keys of the page. */
function onTreeKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || rows.value.length === 0) return;
  if (!moveIn(event.key, rows.value, Math.max(active.value, 0))) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Moves within the tree. Returns false for a key that has no meaning there. */
function moveIn(key: string, all: readonly TreeRow[], here: number): boolean {
  const row = all[here]!;
  const to = {
    ArrowDown: here + 1,
    ArrowUp: here - 1,
    Home: 0,
    End: all.length - 1,
    ArrowRight: row.isOpen === true ? here + 1 : here,
    ArrowLeft: row.isOpen === true ? here : all.findLastIndex(({ level }, index) => index < here && level < row.level),
  }[key];
  if (to === undefined) {
    if (key !== 'Enter' && key !== ' ') return false;
    choose(row);
    return true;
  }
  if ((key === 'ArrowRight' && row.isOpen === false) || (key === 'ArrowLeft' && row.isOpen === true)) {
    activeKey.value = row.key;
    toggle(row.key);
    return true;
  }
  const next = all[Math.min(Math.max(to, 0), all.length - 1)]!;
  activeKey.value = next.key;
  if (next.kind === 'actor') selectedNode.value = next.node;
  return true;
}
