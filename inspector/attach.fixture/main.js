/** A React application in Strict Mode, as its developers write it; the address says how it reports and where. */
import { createWebSocketInspector } from '@statelyai/inspect';
import { useMachine } from '@xstate/react';
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createMachine, sendTo, setup } from 'xstate';
import { createInspector } from 'xstate-quiver/inspector/browser';

const asked = new URLSearchParams(location.search);
const [browser, stately] = [asked.get('browser'), asked.get('stately')];
const inspect = browser
  ? createInspector({ url: browser, reach: asked.has('reach') }).inspect
  : stately
    ? createWebSocketInspector({ url: stately }).inspect
    : undefined;

const toggle = createMachine({
  id: 'toggle',
  initial: 'off',
  states: { off: { on: { flip: 'on' } }, on: { on: { flip: 'off' } } },
});
const todos = setup({ actors: { toggle } }).createMachine({
  id: 'todos',
  invoke: { src: 'toggle', id: 'toggle' },
  on: { add: { actions: sendTo('toggle', { type: 'flip' }) } },
});

function App() {
  const [, send] = useMachine(todos, { id: 'todos', ...(inspect && { inspect }) });
  return createElement('button', { onClick: () => send({ type: 'add' }) }, 'add');
}

createRoot(document.getElementById('root')).render(createElement(StrictMode, null, createElement(App)));
