/** Checks of a report from another process. All later code relies on them. */
import { UsageError } from '../../machines/errors.js';
import { areRoles, areTransitions, isListOf, isMessage, isOverlay, isRecord, isString } from '../model/line-checks.js';
import type { LiveReport } from './report.js';

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isNumberOrNone = (value: unknown): boolean => value === undefined || value === null || isNumber(value);

const isSent = (value: unknown): boolean =>
  isRecord(value) && isString(value['to']) && isMessage(value['message']) && isNumberOrNone(value['number']);

const isPeer = (value: unknown): boolean =>
  isRecord(value) &&
  isString(value['peer']) &&
  typeof value['isUp'] === 'boolean' &&
  isNumberOrNone(value['sent']) &&
  isNumberOrNone(value['received']);

const isTimer = (value: unknown): boolean =>
  Array.isArray(value) && isString(value[0]) && isString(value[1]) && (value[2] === null || isNumber(value[2]));

const isSelected = (value: unknown): boolean =>
  isRecord(value) && areTransitions(value['taken']) && areTransitions(value['refused']);

/** Fields of every report, and further fields of a step's report. */
const EVERY = { at: isNumber, node: isString, kind: isString };
const OF_STEP = {
  event: isMessage,
  sent: (value: unknown) => isListOf(value, isSent),
  emitted: (value: unknown) => isListOf(value, isMessage),
  roles: areRoles,
};
/** Optional fields of a step's report. */
const OPTIONAL = {
  role: isString,
  by: isString,
  from: isString,
  message: isMessage,
  number: isNumberOrNone,
  timers: (value: unknown) => isListOf(value, isTimer),
  drawn: (value: unknown) => isListOf(value, isNumber),
  selected: isSelected,
  peers: (value: unknown) => isListOf(value, isPeer),
  links: (value: unknown) => isListOf(value, isString),
  parent: isString,
  logic: isString,
  group: isString,
  hosting: (value: unknown) => isRecord(value) && (value['host'] === null || isString(value['host'])) && isNumber(value['fence']),
  isMesh: (value: unknown) => typeof value === 'boolean',
  isOwn: (value: unknown) => typeof value === 'boolean',
  isUnprompted: (value: unknown) => typeof value === 'boolean',
  peer: isString,
  charts: isRecord,
  overlay: isOverlay,
  ports: (value: unknown) => isRecord(value) && Object.values(value).every(isNumber),
};

type Checks = Readonly<Record<string, (value: unknown) => boolean>>;

/** Checks a report. Throws a `UsageError` that names the invalid part. */
export function checkReport(report: unknown): LiveReport {
  if (!isRecord(report)) throw new UsageError('A step report for the inspector must be a JSON object.');
  const demand = (checks: Checks, isOptional = false) => {
    for (const [key, holds] of Object.entries(checks))
      if (!(isOptional && report[key] === undefined) && !holds(report[key]))
        throw new UsageError(
          `The field "${key}" of a step report is missing or has the wrong type. Use the same version of Quiver in the program and the inspector.`,
        );
  };
  demand(EVERY);
  if (report['kind'] === 'peer') demand({ observation: isObservation });
  else if (report['kind'] === 'gap') demand({ count: isNumber });
  else {
    demand(OF_STEP);
    demand(OPTIONAL, true);
    if (report['from'] !== undefined && report['message'] === undefined)
      throw new UsageError('A step report with "from" is about a delivered message, so it also needs "message".');
  }
  return report as unknown as LiveReport;
}

function isObservation(observation: unknown): boolean {
  if (!isRecord(observation) || !isString(observation['peer'])) return false;
  switch (observation['type']) {
    case 'up':
    case 'down':
      return true;
    case 'dropped':
    case 'waits':
      return isNumber(observation['number']);
    case 'lost':
    case 'doubled':
      return isNumberOrNone(observation['number']) && isMessage(observation['message']);
    default:
      return false;
  }
}
