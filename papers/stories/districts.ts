/** A story in the inspector: groups of people who meet during a day elect leaders that are nearby. */
import type { Story } from '../../inspector/stories/story.js';

/** Name of the contacts in the scenario: the built-in day, or a file that the user names. */
export const CONTACTS = 'contacts';

const scenario = {
  protocol: 'election',
  topology: { contacts: CONTACTS },
  options: { radii: [1, 2] },
  until: { at: 3600 },
};

export const districts: Story = {
  name: 'districts',
  title: 'Leaders in districts on a day of contacts',
  description:
    'Twelve badges receive each other only while people are close together. Each group has a leader, and larger groups have districts.',
  runs: { 'The day': { scenario } },
  terms: {
    leader: 'The one node of a group that all of them follow.',
    districts: 'Parts of a group, each around a leader that is near.',
    hop: 'The way over one link.',
  },
  steps: [
    {
      run: 'The day',
      at: { part: 0.03 },
      text: 'People wear badges with a range of a meter or two. A link exists only while two people stand together. There is no list of positions, and no server.',
    },
    {
      run: 'The day',
      at: { part: 0.25 },
      text: 'They have gone to their rooms. Every group that can talk to itself has one leader (the star), which the badges elect without help. A person without company leads itself.',
    },
    {
      run: 'The day',
      at: { part: 0.47 },
      text: 'Coffee: one long chain of talks. It has one leader for all. Districts keep distances short: the number at a node is the level that it leads. A leader of level 1 is never more than one hop away, one of level 2 never more than two.',
    },
    {
      run: 'The day',
      at: { part: 0.7 },
      text: 'The talk: four rows, joined by the people between two of them. Leaders that came too close to each other have given way, and a district has a leader in its row.',
    },
    {
      run: 'The day',
      at: 'end',
      text: 'All have gone home, and each leads itself. {sent update} updates in all. To show a real contact list of a day in the same way: npx quiver explore --story districts --contacts FILE.',
    },
  ],
};
