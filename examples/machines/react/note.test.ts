// @vitest-environment happy-dom
/**
 * A React component as the system under test: each path is a test that renders it, clicks, and lets its server answer when the path
 * requires it. docs/recipes/react.md.
 */
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { describe, expect, test, vi } from 'vitest';
import { describeMachine, MachineTesting, type MachineTests } from 'xstate-quiver/test';
import { note } from './machine.js';
import { Note } from './note.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

/** The component in a document, and the request that it waits for. */
function render(isHasty: boolean) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const server: { resolve?: () => void; reject?: (error: Error) => void } = {};
  const save = () => new Promise<void>((resolve, reject) => Object.assign(server, { resolve, reject }));
  act(() => root.render(createElement(Note, { save, isHasty })));
  return { container, root, server };
}

type Rendered = ReturnType<typeof render>;

const click = ({ container }: Rendered, label: string) =>
  act(() => [...container.querySelectorAll('button')].find(({ textContent }) => textContent === label)!.click());

const answer = (does: (() => void) | undefined) => act(async () => does?.());

const shows =
  (text: string) =>
  ({ container }: Rendered) =>
    expect(container.querySelector('output')!.textContent).toBe(text);

const testsOf = (isHasty: boolean): MachineTests<Rendered> => ({
  events: { SAVE: [{ text: 'milk' }, { text: '' }] },
  limits: { walks: 2, steps: 20 },
  sut: () => render(isHasty),
  cleanup: ({ container, root }) => {
    act(() => root.unmount());
    container.remove();
    vi.useRealTimers();
  },
  exec: {
    SAVE: (rendered, { text }) => {
      rendered.container.querySelector('input')!.value = text as string;
      click(rendered, 'Save');
    },
    // The answer arrives after the cancellation.
    CANCEL: async (rendered) => {
      click(rendered, 'Cancel');
      await answer(rendered.server.resolve);
    },
    RETRY: (rendered) => click(rendered, 'Try again'),
    'save done': ({ server }) => answer(server.resolve),
    'save fails': ({ server }) => answer(() => server.reject!(new Error('no connection'))),
    'after thanks in saved': () => act(() => void vi.advanceTimersByTime(2000)),
  },
  states: {
    editing: shows(''),
    empty: shows('Write something first.'),
    saving: shows('Saving'),
    failed: shows('Not saved.'),
    saved: shows('Saved'),
  },
});

describeMachine(note, { ...testsOf(false), each: 'path' }, { describe, test, expect });

test('a component that shows an answer after CANCEL fails its test', async () => {
  const failure = await new MachineTesting(note, testsOf(true)).firstFailure('tour');
  expect(failure).toMatchObject({ rule: 'check of state editing', description: expect.stringMatching(/Saved/) });
  expect(failure!.steps.map((step) => ('event' in step ? step.event.type : ''))).toEqual(['SAVE', 'CANCEL']);
});
