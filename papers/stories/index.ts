/** All stories of the inspector, in the order of the list. */
import { arvyStory } from './arvy.js';
import { bins } from './bins.js';
import { deadlock } from './deadlock.js';
import { districts } from './districts.js';
import { merge } from './merge.js';
import { repair } from './repair.js';
import type { Story } from '../../inspector/stories/story.js';

export const stories: readonly Story[] = [arvyStory, repair, merge, deadlock, bins, districts];
