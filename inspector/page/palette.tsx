/** The command palette: every action and every node by its name. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { goToHit, ask } from './ask.js';
import { share } from './share.js';
import { isHelpOpen, isPaletteOpen, isTreeOpen, toggleMaximized, toggleTheme, type ViewName } from './shell.js';
import { pauseAt, play, recording, selectedNode, isPlaying, step } from './state.js';
import { tab, TABS } from './tab.js';

interface Action {
  readonly name: string;
  readonly keys?: string;
  run(): void;
}

const PANELS: readonly (readonly [ViewName, string])[] = [
  ['network', 'network'],
  ['chart', 'statechart'],
  ['space-time', 'space and time'],
  ['plots', 'lower panel'],
];

const actions = (): readonly Action[] => [
  { name: isPlaying.value ? 'Pause' : 'Play', keys: 'Space', run: () => play(!isPlaying.value) },
  { name: 'Go to the start', keys: 'Home', run: () => pauseAt(recording.value.first - 1) },
  { name: 'Go to the end', keys: 'End', run: () => pauseAt(recording.value.end - 1) },
  { name: 'Go to the next violation', keys: 'v', run: () => step('violation', 1) },
  { name: 'Go to the next delivery', keys: 'Shift →', run: () => step('delivery', 1) },
  { name: 'Filter the events', keys: '/', run: ask },
  { name: 'Go to the next event that answers', keys: 'n', run: () => goToHit(1) },
  ...TABS.map((name) => ({ name: `Show ${name}`, run: () => void (tab.value = name) })),
  ...PANELS.map(([view, name]) => ({ name: `Fill the page with the ${name}`, run: () => toggleMaximized(view) })),
  { name: 'Show or hide the tree of actors', run: () => (isTreeOpen.value = document.querySelector('.panel-tree') === null) },
  { name: 'Change light and dark colors', keys: 't', run: toggleTheme },
  { name: 'Share', run: () => void share() },
  { name: 'Show the keys', keys: '?', run: () => void (isHelpOpen.value = true) },
];

/** More rows than these are found faster by another letter. */
const SHOWN_MAX = 12;

function found(text: string): readonly Action[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isMeant = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const own = actions().filter(({ name }) => isMeant(name));
  const nodes: Action[] = [];
  for (const [node, name] of recording.value.nodes.names.entries()) {
    if (words.length === 0 || own.length + nodes.length >= SHOWN_MAX) break;
    if (isMeant(`select ${name}`)) nodes.push({ name: `Select ${name}`, run: () => (selectedNode.value = node) });
  }
  return [...own, ...nodes].slice(0, SHOWN_MAX);
}

export function CommandPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const all = found(text);
  const run = (action: Action | undefined) => {
    dialog.current?.close();
    action?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) setChosen((chosen + move + all.length) % Math.max(all.length, 1));
    else if (event.key === 'Enter') run(all[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="commands"
      onClose={() => (isPaletteOpen.value = false)}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="find a command or a node"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={all[chosen] && `palette-${chosen}`}
        placeholder="Find a command or a node"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="commands and nodes">
        {all.map((action, i) => (
          <li key={action.name} id={`palette-${i}`} role="option" aria-selected={i === chosen} onClick={() => run(action)}>
            {action.name} {action.keys !== undefined && <kbd>{action.keys}</kbd>}
          </li>
        ))}
      </ul>
      {all.length === 0 && <p class="empty">Nothing has this name.</p>}
    </dialog>
  );
}
