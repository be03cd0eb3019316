/** The reasons of our own protocols, for their tests. */
import type { Reasons } from '../test/coverage/report.js';
import { reasons as controller } from './controller/reasons.fixtures.js';
import { reasons as directory } from './directory/reasons.fixtures.js';
import { reasons as election } from './election/reasons.fixtures.js';
import { reasons as exclusion } from './exclusion/reasons.fixtures.js';
import { reasons as link } from './link/reasons.fixtures.js';
import { reasons as locks } from './locks/reasons.fixtures.js';
import { reasons as queue } from './queue/reasons.fixtures.js';
import { reasons as tabs } from './tabs/reasons.fixtures.js';

const all: Readonly<Record<string, Reasons>> = { controller, directory, election, exclusion, link, locks, queue, tabs };

export const reasonsOf = ({ name }: { readonly name: string }): Reasons => all[name] ?? {};
