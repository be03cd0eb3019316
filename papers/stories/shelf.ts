/** Produces the runs of the stories with the simulator and the checker, when the inspector requests them. */
import { contactDay } from './contact-day.js';
import { CONTACTS } from './districts.js';
import { stories } from './index.js';
import { shelfOf, type Shelf } from '../../inspector/stories/shelf.js';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { recordRun } from '../../network/record-run.js';
import { recordCounterexample } from '../../bin/recording.js';

/** Creates the list of stories. `contacts` is a contact list that replaces the built-in day. */
export const storyShelf = (contacts: string = contactDay()): Shelf =>
  shelfOf(stories, ({ scenario: json, checked }) => {
    const scenario = parseScenario(json, protocols, (path) => {
      if (path === CONTACTS) return contacts;
      throw new UsageError(`A story's scenario refers to the file ${path}, but stories can only use the built-in contacts.`);
    });
    if (!checked) return recordRun(scenario, json);
    const { counterexample } = checkScenario(scenario);
    if (!counterexample)
      throw new UsageError('The story shows a counterexample, but the checker finds no violation in its scenario.');
    return recordCounterexample(scenario, json, counterexample);
  });
