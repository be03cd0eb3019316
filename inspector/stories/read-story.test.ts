import { expect, test } from 'vitest';
import { readStory, storyFile } from './read-story.js';

const run = { scenario: { protocol: 'directory' } };
const story = {
  story: 1,
  title: 'A story',
  runs: { one: run, two: run },
  steps: [{ run: 'one', at: { at: 3 }, node: 'n0', comparedTo: 'two', along: [{ at: 'start', text: 'First.' }], text: 'Then.' }],
};

test('a saved story is read again unchanged', () => {
  const read = readStory(JSON.stringify(story));
  expect(read).toEqual({ name: '', description: '', terms: {}, title: story.title, runs: story.runs, steps: story.steps });
  expect(readStory(storyFile(read))).toEqual(read);
});

const [step] = story.steps;
test.each<[object, string]>([
  [{ ...story, story: 2 }, 'it is not a story of version 1. Save it again, on the tab "by hand"'],
  [{ ...story, title: 7 }, 'its "title" is not a text'],
  [{ ...story, runs: { one: {} } }, 'its "runs" are not a record of { "scenario": … }'],
  [
    { ...story, titel: 'x' },
    'titel is an unknown key. Did you mean "title"? Known: story, title, description, runs, steps, terms',
  ],
  [{ ...story, runs: { one: { ...run, checked: true } } }, 'runs.one.checked is an unknown key. Known: scenario'],
  [
    { ...story, steps: [step, { ...step, txt: 'x' }] },
    'steps[1].txt is an unknown key. Did you mean "text"? Known: at, text, run, node, comparedTo, along',
  ],
  [
    { ...story, steps: [{ ...step, at: { descriptions: 'n0' } }] },
    'steps[0].at.descriptions is an unknown key. Did you mean "description"? Known: description, before, at, part',
  ],
  [
    { ...story, steps: [{ ...step, along: [{ at: 'start', text: 'x', node: 'n0' }] }] },
    'steps[0].along[0].node is an unknown key. Known: at, text',
  ],
  [
    { ...story, steps: [{ ...step, along: [{ at: { befor: 'n0' }, text: 'x' }] }] },
    'steps[0].along[0].at.befor is an unknown key. Did you mean "before"?',
  ],
  [{ ...story, steps: [] }, 'it has no "steps"'],
  [{ ...story, terms: { a: 1 } }, 'its "terms" are not a record of texts'],
  [{ ...story, steps: [null] }, 'step 1 is not a record'],
  [{ ...story, steps: [step, { ...step, run: 'toString' }] }, 'step 2: "run" is not the name of a run of the story'],
  [{ ...story, steps: [{ ...step, comparedTo: 'three' }] }, 'step 1: "comparedTo" is not the name of a run of the story'],
  [{ ...story, steps: [{ ...step, node: 1 }] }, 'step 1: "node" is not a name'],
  [{ ...story, steps: [{ ...step, along: {} }] }, 'step 1: "along" is not a list'],
  [{ ...story, steps: [{ ...step, text: undefined }] }, 'step 1 has no "text", or an invalid "at"'],
  [{ ...story, steps: [{ ...step, at: { at: null } }] }, 'step 1 has no "text", or an invalid "at"'],
  [{ ...story, steps: [{ ...step, along: [{ at: 'middle', text: '' }] }] }, 'step 1 has no "text", or an invalid "at"'],
])('%#: an invalid story is rejected with the reason', (wrong, complaint) => {
  expect(() => readStory(JSON.stringify(wrong))).toThrow(complaint);
});
