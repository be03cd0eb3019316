import { describe, expect, test } from 'vitest';
import { storyShelf } from '../../bin/stories.js';
import { placeOf, withFigures } from '../model/place.js';
import { ReadTrace } from '../model/recording.js';

const shelf = storyShelf();

function recordingOf(story: string, run: string): ReadTrace {
  const recording = new ReadTrace();
  for (const piece of shelf.run(story, run)) recording.push(piece);
  recording.close();
  return recording;
}

test.each(shelf.stories)('$name: every step leads to a place in its run, its figures counted there', ({ name, runs, steps }) => {
  const recordings = new Map(Object.keys(runs).map((run) => [run, recordingOf(name, run)]));
  const reached = new Map<string, number>();
  for (const [number, step] of steps.entries()) {
    const recording = recordings.get(step.run)!;
    expect(recording.problem).toBeNull();
    const before = steps.slice(0, number).filter(({ run }) => run === step.run);
    const place = placeOf(recording, step, before);
    expect(place === null ? step.text : null).toBeNull();
    expect(place!).toBeGreaterThanOrEqual(reached.get(step.run) ?? 0);
    reached.set(step.run, place!);
    if (step.node !== undefined) expect(recording.nodes.names).toContain(step.node);
    expect(withFigures(step.text, recording, place!)).not.toMatch(/[{}]/);
  }
  expect([...reached.keys()]).toEqual(Object.keys(runs));
});

describe('what the stories say is so', () => {
  const cost = (run: string) => Number(withFigures('{cost find}', recordingOf('arvy', run), Infinity));

  test('arvy: the bridge costs least, and Arrow most', () => {
    expect(cost('Bridge')).toBeLessThan(cost('Ivy'));
    expect(cost('Ivy')).toBeLessThan(cost('Arrow'));
  });

  test('deadlock: the checker violates a property, the corrected rule none', () => {
    expect(recordingOf('deadlock', 'As printed').header?.choices).toBeDefined();
    expect(recordingOf('deadlock', 'Corrected').violations).toEqual([]);
  });
});

test('a place that the run never comes to is none', () => {
  const recording = recordingOf('merge', 'The election');
  const step = { run: '', text: '' };
  expect(placeOf(recording, { ...step, at: { says: 'z announced nonsense' } })).toBeNull();
  expect(placeOf(recording, { ...step, at: { at: 12 } })).toBe(recording.lastLineAt(12));
  expect(placeOf(new ReadTrace(), { ...step, at: 'start' })).toBeNull();
});

test('a run that there is not is refused', () => {
  expect(() => shelf.run('arvy', 'Nobody')).toThrow('there is no run "Nobody" of a story "arvy"');
});
