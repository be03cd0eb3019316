import { describe, expect, test } from 'vitest';
import { storyShelf } from './shelf.js';
import { lineOfCaption, captionsOf, withFigures } from '../../inspector/model/place.js';
import { ReadTrace } from '../../inspector/model/recording.js';

const shelf = storyShelf();

function recordingOf(story: string, run: string): ReadTrace {
  const recording = new ReadTrace();
  for (const piece of shelf.run(story, run)) recording.push(piece);
  recording.close();
  return recording;
}

test.each(shelf.stories)(
  '$name: every sentence has a place in its run, and its figures are counted there',
  ({ name, runs, steps }) => {
    const recordings = new Map(Object.keys(runs).map((run) => [run, recordingOf(name, run)]));
    const reached = new Map<string, number>();
    for (const [number, step] of steps.entries()) {
      const recording = recordings.get(step.run)!;
      expect(recording.problem).toBeNull();
      const before = [...captionsOf(steps.slice(0, number).filter(({ run }) => run === step.run))];
      for (const caption of captionsOf([step])) {
        const place = lineOfCaption(recording, caption, before);
        expect(place === null ? caption.text : null).toBeNull();
        // Events on the way come before the place.
        const least = reached.get(step.run) ?? 0;
        expect([caption.text, place! > least || (place === least && caption === step && !step.along)]).toEqual([
          caption.text,
          true,
        ]);
        reached.set(step.run, place!);
        expect(withFigures(caption.text, recording, place!)).not.toMatch(/[{}]/);
        before.push(caption);
      }
      if (step.node !== undefined) expect(recording.nodes.names).toContain(step.node);
      if (step.comparedTo !== undefined) expect(Object.keys(runs).filter((run) => run !== step.run)).toContain(step.comparedTo);
    }
    expect([...reached.keys()]).toEqual(Object.keys(runs));
  },
);

test.each(shelf.stories)('$name: the terms that it explains are words of its texts', ({ terms = {}, steps }) => {
  const texts = captionsOf(steps).map(({ text }) => text);
  expect(Object.keys(terms).length).toBeGreaterThan(0);
  const hasWord = (term: string) =>
    texts.some((text) => new RegExp(String.raw`(?<![\p{L}\d])${term}(?![\p{L}\d])`, 'u').test(text));
  expect(Object.keys(terms).filter((term) => !hasWord(term))).toEqual([]);
});

test('compared runs are next to each other', () => {
  for (const { runs, steps } of shelf.stories) {
    const [first] = Object.keys(runs);
    for (const { run, comparedTo } of steps) expect(run === first || comparedTo !== undefined).toBe(true);
  }
});

describe('the statements of the stories are true', () => {
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

test('a place that the run never reaches is undefined', () => {
  const recording = recordingOf('merge', 'The election');
  expect(lineOfCaption(recording, { at: { description: 'z announced nonsense' } })).toBeNull();
  expect(lineOfCaption(recording, { at: { at: 12 } })).toBe(recording.lastLineAt(12));
  expect(lineOfCaption(new ReadTrace(), { at: 'start' })).toBeNull();
});

test('an unknown run is rejected', () => {
  expect(() => shelf.run('arvy', 'Nobody')).toThrow('Unknown run "Nobody" of story "arvy"');
});
