/** The roles of a participating node and their inputs, at the start of a run and when a leaf joins. */
import { levelAt, type Scale } from '../bins.js';
import type { DeliveryInput } from '../delivery.js';
import type { DepositsInput } from '../applications/deposits.js';
import type { MainInput } from './member.js';
import { DEPOSITS, deliveryRole, MAIN, requestRole, type Controller } from '../messages.js';
import { phaseBudget } from './phases.js';
import type { RequestInput } from '../request.js';
import type { RootBudget, RootInput } from '../root.js';

/** A node's place in the tree and its initial permits. `budget` is the root's, if no phases define it. */
export type Member = MainInput & { readonly budget?: RootBudget };

/** Input of a role of such a node, by its chart. */
export type MemberRole = { readonly role: string } & (
  | { readonly chart: 'request'; readonly input: RequestInput }
  | { readonly chart: 'delivery' | 'pipelined'; readonly input: DeliveryInput }
  | { readonly chart: 'root'; readonly input: RootInput }
  | { readonly chart: 'deposits'; readonly input: DepositsInput }
  | { readonly chart: typeof MAIN; readonly input: MainInput }
);

export function memberRoles(member: Member): MemberRole[] {
  const { settings, terms, budget: _, ...main } = member;
  const { parts } = settings;
  return [
    ...parts.flatMap((part) => (part === DEPOSITS ? [depositsOf(member)] : controllerRoles(member, part))),
    { role: MAIN, chart: MAIN, input: { ...main, settings, terms } satisfies MainInput },
  ];
}

function controllerRoles(member: Member, of: Controller): MemberRole[] {
  const { id, parent, depth, settings, terms } = member;
  const scale = terms[of];
  const alive = of === 'N' || terms.alive;
  const request: RequestInput = { id, of, scale, alive, echo: settings.echo };
  return [
    { role: requestRole(of), chart: 'request', input: request },
    parent === null
      ? rootOf(member, of, scale)
      : deliveryOf({ id, of, parent, level: levelOf(scale, depth), scale, alive }, settings.pipelined),
  ];
}

function rootOf({ id, phase, budget }: Member, of: Controller, scale: Scale): MemberRole {
  const input: RootInput = { id, of, scale, ...(phase ? phaseBudget(phase, of) : budget!) };
  return { role: deliveryRole(of), chart: 'root', input };
}

const deliveryOf = (input: DeliveryInput, pipelined: boolean): MemberRole => ({
  role: deliveryRole(input.of),
  chart: pipelined ? 'pipelined' : 'delivery',
  input,
});

function depositsOf({ id, parent, depth, terms }: Member): MemberRole {
  const input: DepositsInput = { id, parent, level: parent === null ? null : levelAt(depth), scale: terms.R };
  return { role: DEPOSITS, chart: 'deposits', input };
}

const levelOf = (scale: Scale, depth: number): number | null => ('flat' in scale ? null : levelAt(depth));
