/** The network: links, pointers, tokens, and the messages on their way, each as far as time has brought it. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { numberText } from '../../model/words.js';
import { Canvas } from '../canvas.js';
import { MessageCard } from '../message-card.js';
import { ReachCard } from '../reach-card.js';
import { mayReach } from '../live-reach.js';
import { IconButton, Panel } from '../panel.js';
import { isReachOpen } from '../shell.js';
import { playhead, recording } from '../state.js';
import { Legend } from './legend.js';
import {
  chosenView,
  communities,
  flights,
  links,
  MESSAGES_MAX,
  paintNetwork,
  placement,
  positions,
  scene,
  movedTo,
} from './picture.js';
import { onKeyDown, pointerHandlers } from './pointer.js';
import { comparedRun, currentStep } from '../story/state.js';
import { NetworkText } from './text.js';

const handlers = pointerHandlers();

function summary(): string {
  const { nodes } = recording.value;
  const up = links.value.filter(({ there, back }) => there && back).length;
  const { x } = playhead.value;
  const held = scene.value.nodes.flatMap(({ badge, life }, node) => {
    const marks = [badge, life === 'alive' ? null : life].filter(Boolean);
    return marks.length > 0 ? [`${nodes.names[node]} ${marks.join(' ')}`] : [];
  });
  const marks = held.length > 0 && held.length < 6 ? `; marked: ${held.join(', ')}` : '';
  const drawn = communities.value ? `, in ${communities.value.length} communities` : '';
  return `Network of ${nodes.size} nodes and ${up} ${up === 1 ? 'link' : 'links'}${drawn} at ${numberText(x)}: ${flights.value.length} messages on their way${marks}`;
}

export function NetworkView() {
  useEffect(() => {
    let frame = 0;
    const settle = () => {
      const now = placement.peek();
      const goesOn = now?.settle(12) ?? false;
      if (now) movedTo(now);
      if (goesOn) frame = requestAnimationFrame(settle);
    };
    const stop = effect(() => {
      if (!placement.value) return;
      chosenView.value = null;
      placement.value.settle(250);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(settle);
    });
    return () => {
      cancelAnimationFrame(frame);
      stop();
    };
  }, []);
  const tools = (
    <>
      {mayReach.value && (
        <button
          type="button"
          class="small"
          title="change the run or the program at the selection (g)"
          aria-pressed={isReachOpen.value}
          onClick={() => (isReachOpen.value = !isReachOpen.value)}
        >
          intervene
        </button>
      )}
      <IconButton
        label="everything in sight"
        icon="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M9 9h6v6H9z"
        onPress={() => (chosenView.value = null)}
      />
    </>
  );
  return (
    <Panel
      view="network"
      title={comparedRun.value ? `Network: ${currentStep.value!.run}` : 'Network'}
      tools={tools}
      text={() => (
        <>
          <NetworkText scene={scene.value} links={links.value} flights={flights.value} />
          <MessageCard />
        </>
      )}
    >
      <Canvas class="picture grab" paint={paintNetwork} label={summary()} onKeyDown={onKeyDown} {...handlers} />
      <Legend scene={scene.value} />
      {mayReach.value && isReachOpen.value && <ReachCard />}
      {positions.value.xs.length === 0 && <p class="notice-inline is-placing">finding places for the nodes…</p>}
      {communities.value && positions.value.xs.length > 0 && (
        <p class="notice-inline">{communities.value.length} communities of nodes. Select one or zoom in to see its nodes.</p>
      )}
      {flights.value.length > MESSAGES_MAX && (
        <p class="notice-inline">
          {flights.value.length} messages on their way, {MESSAGES_MAX} of them drawn
        </p>
      )}
    </Panel>
  );
}
