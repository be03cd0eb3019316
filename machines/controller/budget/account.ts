/** Counts the units that a protocol under a budget has spent, and the messages that the controller needed in addition. */
import type { NodeId } from '../../effects.js';
import type { Configuration, Instance, Meter, Observer, Step } from '../../protocol.js';
import { spent } from './properties.js';
import { isOfLayer, isStopped, type BudgetOptions } from './view.js';

export class BudgetAccount implements Observer {
  private controllerMessages = 0;
  private ownMessages = 0;
  private exhausted = false;

  constructor(private readonly instance: Instance<BudgetOptions>) {}

  record({ sent, emitted }: Step): void {
    for (const flight of sent) {
      if (isOfLayer(flight)) this.controllerMessages++;
      else this.ownMessages++;
    }
    this.exhausted ||= emitted.some(({ type }) => type === 'exhausted');
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const stopped: NodeId[] = [...c.nodes].filter(([, node]) => isStopped(node)).map(([id]) => id);
    return {
      spent: spent(c as Configuration<BudgetOptions>),
      messages: { own: this.ownMessages, controller: this.controllerMessages },
      exhausted: this.exhausted,
      stopped,
    };
  }

  meters(c: Configuration): readonly Meter[] {
    const { M } = this.instance.options.budget;
    const units = spent(c as Configuration<BudgetOptions>);
    const perUnit = units === 0 ? 0 : this.controllerMessages / units;
    return [
      { name: 'units spent', measured: units, bound: M, ratio: M === 0 ? null : units / M },
      { name: "controller's messages per unit", measured: perUnit, bound: null, ratio: null },
    ];
  }
}
