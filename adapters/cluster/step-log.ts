/** The steps of a hosted actor between two versions, for observers such as the inspector. */
import type { AnyActor, AnyMachineSnapshot, InspectionEvent } from 'xstate';
import type { NodeId } from '../../machines/effects.js';
import type { ActorStep } from '../../network/cluster-observation.js';
import type { Microstep } from '../../network/world/selections.js';

export class StepLog {
  private steps: ActorStep[] = [];
  private microsteps: Microstep[] = [];

  hear(inspected: InspectionEvent, actor: AnyActor, from: NodeId | null): void {
    if (inspected.actorRef !== actor) return;
    if (inspected.type === '@xstate.microstep') this.microsteps.push(inspected);
    if (inspected.type !== '@xstate.snapshot') return;
    const { event, snapshot } = inspected;
    this.steps.push({ event, from, microsteps: this.microsteps, snapshot: snapshot as AnyMachineSnapshot });
    this.microsteps = [];
  }

  take(): readonly ActorStep[] {
    const { steps } = this;
    this.steps = [];
    this.microsteps = [];
    return steps;
  }
}
