/**
 * Local mutual exclusion as printed: Algorithms 1 to 3 to the letter, which the checker shows to be wrong. See machine.ts for the states
 * and variables, and docs/errata.md for the shortest traces.
 *
 * Differences from the corrected chart:
 *
 *   - A first request always joins the trial, even while another candidate has no priority yet: two neighbors that compete for
 *     each other may each wait for the other's next request (erratum 1).
 *   - Disconnections are gathered in D, which every step first reads and empties (`tidy`). CleanUp, the step that only does this,
 *     is enabled only while the participant is not idle or the initiator unlocks. So a node in `win` may wait forever for a
 *     neighbor that is gone (erratum 2), and an idle node keeps the lock of one (erratum 3).
 *   - A call without effect is still a step and empties D unread (erratum 4).
 */
import { and, assign, or, stateIn } from 'xstate';
import { draw, send, withEvent, type LinkEvent } from '../effects.js';
import {
  defeats,
  exclusionSetup,
  forgotten,
  initialContext,
  priority,
  readyToHeld,
  requests,
  toAll,
  toSender,
  victory,
  type ExclusionContext,
} from './machine.js';
import { including, without, type PortNumber, type Ports } from './ports.js';

export interface PrintedContext extends ExclusionContext {
  /** The ports whose links were cut since the last step. */
  readonly D: Ports;
}

const gone = (context: ExclusionContext): Ports => (context as PrintedContext).D;

export const printedSetup = exclusionSetup.extend({
  actions: {
    noteDisconnection: assign(({ context }, { peer }: LinkEvent<PortNumber>) => ({
      ports: without(context.ports, peer),
      D: including(gone(context), peer),
    })),
    tidy: assign(({ context }) => ({
      ...gone(context).reduce((tidied, port) => ({ ...tidied, ...forgotten(tidied, port) }), context),
      D: [],
    })),
    ignoreDisconnections: assign({ D: [] } as Partial<PrintedContext>),
  },
  guards: {
    somethingIsGone: ({ context }) => gone(context).length > 0,
    phaseIsNotIdle: ({ context: { A, C, H } }) => A.length + C.length + H.length > 0,
  },
});

const cleanUpIsEnabled = and(['somethingIsGone', or(['phaseIsNotIdle', stateIn({ initiator: 'unlock' })])]);
const withoutEffect = { guard: 'somethingIsGone', actions: 'ignoreDisconnections' } as const;

export const printedMachine = printedSetup.createMachine({
  id: 'printed',
  context: ({ input }): PrintedContext => ({ ...initialContext(input), D: [] }),
  type: 'parallel',
  on: {
    'link.up': { actions: withEvent('plugIn') },
    'link.down': { actions: withEvent('noteDisconnection') },
    lock: withoutEffect,
    unlock: withoutEffect,
  },
  always: { guard: cleanUpIsEnabled, actions: 'tidy' }, // CleanUp
  states: {
    initiator: {
      initial: 'idle',
      states: {
        idle: {
          on: {
            lock: {
              guard: withEvent('asksForPortsInUse'),
              target: 'prepare',
              actions: ['tidy', withEvent('begin'), send(toAll('prepare'))],
            },
          },
        },
        prepare: {
          on: { ready: { guard: withEvent('isAwaited'), actions: ['tidy', withEvent('noteAnswer')] } },
          always: { guard: 'allHaveAnswered', target: 'compete', actions: 'clearAnswers' }, // CheckStart
        },
        compete: {
          entry: draw(priority),
          on: {
            drawn: { actions: send(requests) },
            win: { guard: withEvent('outcomeIsAwaited'), actions: ['tidy', withEvent('noteOutcome')] },
          },
          always: [
            { guard: 'hasLost', target: 'compete', reenter: true, actions: 'clearOutcomes' }, // CheckWin
            { guard: 'hasWon', target: 'win', actions: ['clearOutcomes', send(toAll('setLock'))] },
          ],
        },
        win: {
          on: { ackLock: { guard: withEvent('isAwaited'), actions: ['tidy', withEvent('noteAnswer')] } },
          always: { guard: 'allHaveAnswered', target: 'locked', actions: ['clearAnswers', 'announceLock'] }, // CheckDone
        },
        locked: { on: { unlock: { target: 'unlock', actions: ['tidy', send(toAll('release'))] } } },
        unlock: {
          on: { ackRelease: { guard: withEvent('isAwaited'), actions: ['tidy', withEvent('noteAnswer')] } },
          always: { guard: 'allHaveAnswered', target: 'idle', actions: ['clearAnswers', 'end', 'announceUnlock'] }, // CheckUnlocked
        },
      },
    },
    participant: {
      initial: 'idle',
      on: { release: { guard: withEvent('isHolder'), actions: ['tidy', 'free', send(toSender('ackRelease'))] } },
      states: {
        idle: {
          on: {
            prepare: {
              guard: withEvent('isNewcomer'),
              target: 'prepare',
              actions: ['tidy', withEvent('apply'), send(toSender('ready'))],
            },
          },
        },
        prepare: {
          on: {
            prepare: { guard: withEvent('isNewcomer'), actions: ['tidy', withEvent('apply'), send(toSender('ready'))] },
            request: {
              guard: withEvent('isApplicant'),
              target: 'compete',
              actions: ['tidy', withEvent('promote'), withEvent('notePriority')],
            },
          },
          always: { guard: 'noApplicants', target: 'idle' },
        },
        compete: {
          on: {
            prepare: { guard: withEvent('isNewcomer'), actions: ['tidy', withEvent('hold')] },
            request: [
              { guard: withEvent('isApplicant'), actions: ['tidy', withEvent('promote'), withEvent('notePriority')] },
              { guard: withEvent('isExpectedFrom'), actions: ['tidy', withEvent('notePriority')] },
            ],
            setLock: { guard: withEvent('isExpectedFrom'), actions: [withEvent('setLock'), 'tidy', send(toSender('ackLock'))] },
          },
          always: [
            { guard: 'noCandidates', target: 'prepare', actions: [send(readyToHeld), 'admitHeld'] },
            { guard: 'trialIsComplete', actions: [send(victory), send(defeats), 'closeTrial'] }, // CheckPriorities
          ],
        },
      },
    },
  },
});
