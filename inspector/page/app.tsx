/** The root component of the inspector's page: a toolbar, all views and their layout, keys, and the dialogs over them. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { AttachPage, YourApp } from './attach.js';
import { ChartView } from './chart/view.js';
import type { TraceHeader } from '../../network/trace.js';
import { textOf } from '../gestures.js';
import { excerptOf } from '../model/excerpt.js';
import { download } from './download.js';
import { Help } from './help.js';
import { onKey } from './keyboard.js';
import { openFile } from './open-file.js';
import { behind, followServer, server } from './load.js';
import { LowerPanel } from './lower.js';
import { NetworkView } from './network/view.js';
import { MessageCard } from './message-card.js';
import { IconButton } from './panel.js';
import { CommandPalette } from './palette.js';
import { SendBar } from './send.js';
import { panelSizes, Splitters } from './splitters.js';
import { share, shared } from './share.js';
import { ComparedView } from './story/compared-run.js';
import { allStories, comparedRun, story } from './story/state.js';
import { StoryList, StoryStrip } from './story/view.js';
import { isChartWide, isHelpOpen, isPaletteOpen, isTreeOpen, maximized, theme, toggleTheme } from './shell.js';
import { tab } from './tab.js';
import { SpaceTimeView } from './spacetime/view.js';
import { Endless, NodeList } from './properties.js';
import { isLoading, problem, recording, growing, showLine, sourceProblem, verdict } from './state.js';
import { ActorTree } from './tree.js';
import { PlaybackControls } from './transport.js';

export function App() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const drop = useDrop();
  const { header, nodes } = growing();
  const hasPrograms = header?.protocol === 'programs';
  const isWaiting = isAwaited(header, nodes.size);
  const hasTree = isTreeOpen.value ?? hasPrograms;
  const layout = [
    story.value && 'has-story',
    comparedRun.value && 'has-compared',
    hasPrograms && 'has-programs',
    hasTree && 'has-tree',
  ];
  return (
    <div
      class={`page${maximized.value ? ` has-large` : ''}${isChartWide.value ? ' has-wide-chart' : ''}${drop.isOver ? ' is-over' : ''}`}
      data-read={!isLoading.value}
      {...drop.handlers}
    >
      <TopBar />
      <Notifications />
      {isWaiting ? (
        <AttachPage />
      ) : header ? (
        <main class={layout.filter(Boolean).join(' ')} style={panelSizes()}>
          <StoryStrip />
          {hasTree && <ActorTree />}
          <NetworkView />
          <ComparedView />
          <div class="chart-column">
            <ChartView />
            <SendBar />
          </div>
          <PlaybackControls />
          <SpaceTimeView />
          <LowerPanel />
          <MessageCard />
          <Splitters hasTree={hasTree} />
        </main>
      ) : (
        <Welcome />
      )}
      {isHelpOpen.value && <Help />}
      {isPaletteOpen.value && <CommandPalette />}
      {drop.isOver && <div class="drop-target">Drop a trace to open it</div>}
    </div>
  );
}

const isAwaited = (header: TraceHeader | null, nodes: number): boolean =>
  header?.live === true && header.protocol === 'programs' && nodes === 0;

const count = (number: number, thing: string): string => `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

function TopBar() {
  const { header, nodes } = growing();
  return (
    <header class="top">
      <h1>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 20 19 5m0 0h-7m7 0v7M4 13l5-5m0 0H5.6M9 8v3.4" />
        </svg>
        Quiver
      </h1>
      {header && (
        <p class="facts">
          <b>{header.protocol}</b>
          {!isAwaited(header, nodes.size) && <span>{count(nodes.size, 'node')}</span>}
          {header.links.length > 0 && <span>{count(header.links.length, 'link')}</span>}
          {!header.live && <span>seed {header.seed}</span>}
          {header.choices && <span class="tag">counterexample</span>}
          {verdict.value.verdict && <span class={`tag is-${verdict.value.verdict}`}>{verdict.value.verdict}</span>}
          {header.live && <span class="tag">{isLoading.value ? 'live' : 'ended'}</span>}
          {behind.value > 0 && <span class="tag is-busy">behind by {count(behind.value, 'line')}</span>}
          {isLoading.value && !header.live && (
            <span class="tag is-busy">reading, {recording.value.end.toLocaleString('en-US')} lines</span>
          )}
        </p>
      )}
      {shared.value !== null && (
        <p class="shared" role="status">
          {shared.value}
        </p>
      )}
      <Tools />
    </header>
  );
}

function Tools() {
  const { header: given, nodes } = growing();
  // Before the first program reports there is nothing to save and to share.
  const header = isAwaited(given, nodes.size) ? null : given;
  const hasTree = isTreeOpen.value ?? header?.protocol === 'programs';
  return (
    <div class="tools">
      {allStories.value.length > 0 && (
        <a class="button" href="#stories">
          Stories
        </a>
      )}
      {header?.live && (
        <button type="button" class="button" onClick={saveLastMinute}>
          Save the last minute
        </button>
      )}
      {header && (
        <button type="button" class="button" aria-pressed={hasTree} onClick={() => (isTreeOpen.value = !hasTree)}>
          {header.protocol === 'programs' ? 'Actors' : 'Nodes'}
        </button>
      )}
      {header && (
        <button type="button" class="button" onClick={() => void share()}>
          Share
        </button>
      )}
      <label class="button">
        Open a trace
        <input type="file" accept=".ndjson,.jsonl,.json,.txt" onChange={(event) => openFirst(event.currentTarget.files)} />
      </label>
      <IconButton
        label={theme.value === 'dark' ? 'light colors' : 'dark colors'}
        shortcut="t"
        icon={
          theme.value === 'dark'
            ? 'M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6 4.6 4.6M19.4 19.4 18 18M6 18l-1.4 1.4M19.4 4.6 18 6M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8'
            : 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z'
        }
        onPress={toggleTheme}
      />
      <IconButton
        label="help and keys"
        shortcut="?"
        icon="M9.2 9a2.8 2.8 0 1 1 3.9 2.6c-.8.4-1.1.9-1.1 1.9M12 17v.4"
        onPress={() => (isHelpOpen.value = !isHelpOpen.value)}
      />
    </div>
  );
}

const MINUTE_MS = 60_000;

function saveLastMinute(): void {
  const { end, at, lastLineAt } = recording.value;
  if (end === 0) return;
  const lines = excerptOf(recording.value, lastLineAt(at(end - 1) - MINUTE_MS) + 1);
  download('last-minute.ndjson', [...textOf(lines)]);
}

/** Notifications of the reader: an error in the trace, and forgotten lines. */
function Notifications() {
  const { first, header, gaps, missing, unshown, strangers } = growing();
  return (
    <>
      <Violated />
      {problem.value !== null && header !== null && (
        <p class="notice is-wrong" role="alert">
          {problem.value}
        </p>
      )}
      {strangers.length > 0 && (
        <p class="notice is-wrong" role="alert">
          {someOf(strangers.map(strangerText))}: the header of this trace does not list {strangers.length === 1 ? 'it' : 'them'}{' '}
          among its nodes. The page shows the lines; the header may belong to another trace.
        </p>
      )}
      {unshown.length > 0 && (
        <p class="notice is-wrong" role="alert">
          Not shown: {someOf(unshown.map(({ line, why }) => `line ${line + 1}, for ${why}`))}. The events there are not known.
        </p>
      )}
      <Refusals />
      {server.value === 'away' && (
        <p class="notice" role="status">
          The inspector has stopped. Shown is what it received. This page continues when an inspector is at this address again.
        </p>
      )}
      {server.value === 'back' && (
        <p class="notice" role="status">
          The inspector is back. Shown is what the last one received.{' '}
          <button type="button" class="small" onClick={followServer}>
            Follow it
          </button>
        </p>
      )}
      {first > 0 && (
        <p class="notice" role="status">
          This trace is longer than the page keeps: the first {first.toLocaleString('en-US')} lines are forgotten, and how things
          stood then is kept.
        </p>
      )}
      {missing.length > 0 && (
        <p class="notice" role="status">
          Lines are missing from this trace: {someOf(missing.map(gapText))}. The events there are not known.
        </p>
      )}
      {gaps.length > 0 && (
        <p class="notice" role="status">
          What is watched goes faster than it can be shown: {gaps.length === 1 ? 'a part' : `${gaps.length} parts`} of it left
          out. After each, everything is shown again as it stands.
        </p>
      )}
    </>
  );
}

/** The refusals that the viewer has closed, of the session that began then. */
const closedRefusals = signal<ReadonlySet<string>>(new Set());

/** Programs that the inspector refused, each until the viewer closes it. */
function Refusals() {
  const { header, refusals } = growing();
  const keyOf = (why: string) => `${header?.began} ${why}`;
  const open = refusals.filter((why) => !closedRefusals.value.has(keyOf(why)));
  return open.slice(-PLACES_SHOWN).map((why) => (
    <p key={why} class="notice is-wrong" role="alert">
      {why}{' '}
      <button type="button" class="small" onClick={() => (closedRefusals.value = new Set([...closedRefusals.value, keyOf(why)]))}>
        Close
      </button>
    </p>
  ));
}

const PLACES_SHOWN = 3;

const someOf = (texts: readonly string[]): string => {
  const more = texts.length - PLACES_SHOWN;
  return `${texts.slice(0, PLACES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

const strangerText = ({ node, line }: { node: string; line: number | null }): string =>
  line === null ? `a link names node "${node}"` : `line ${line + 1} is of node "${node}"`;

const gapText = ({ line, count }: { line: number; count: number }): string => `${count} before line ${line + 1}`;

/** The violated properties of the trace, above all views. */
function Violated() {
  const { violated, endless } = verdict.value;
  const [first, ...more] = violated;
  if (!first || first.line === null) return null;
  const { line } = first;
  return (
    <p class="notice is-wrong verdict" role="status">
      <b>Violated: {first.property}</b>
      {first.nodes.length > 0 && (
        <>
          {' '}
          <NodeList names={first.nodes} />
        </>
      )}
      {'. '}
      {first.kind === 'eventually' && endless && <Endless {...endless} />} {first.description}{' '}
      <button type="button" class="small" onClick={() => showLine(line)}>
        Show it
      </button>{' '}
      <button type="button" class="small" onClick={() => (showLine(line), (tab.value = 'why'))}>
        Why?
      </button>
      {more.length > 0 && `, and ${more.length} more under properties`}
    </p>
  );
}

function Welcome() {
  if (problem.value !== null) {
    return (
      <main class="welcome">
        <h2>{sourceProblem.value ? 'No trace' : 'This cannot be shown'}</h2>
        <p role="alert">{problem.value}</p>
        <HowTo />
      </main>
    );
  }
  if (isLoading.value) return <Skeleton />;
  return (
    <main class="welcome">
      <h2>Watch your XState app</h2>
      <YourApp />
      <h2>Or watch coordination happen</h2>
      <StoryList />
      <HowTo />
    </main>
  );
}

/** The panels that a run will have, while it is made and read. */
const Skeleton = () => (
  <main class="skeleton" aria-busy="true" aria-label="The run is being made and read.">
    <div class="panel panel-network" />
    <div class="chart-column panel" />
    <div class="transport" />
    <div class="panel panel-space-time" />
    <div class="panel panel-plots" />
  </main>
);

const HowTo = () => (
  <p>
    Your own run: <code>quiver explore SCENARIO</code>, or drop a trace here that <code>quiver run SCENARIO --trace FILE</code>{' '}
    has written.
  </p>
);

function openFirst(files: FileList | null | undefined): void {
  const file = files?.[0];
  if (file) void openFile(file);
}

function useDrop() {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (event.relatedTarget === null) setIsOver(false);
      },
      onDrop(event: DragEvent) {
        event.preventDefault();
        setIsOver(false);
        openFirst(event.dataTransfer?.files);
      },
    },
  };
}
