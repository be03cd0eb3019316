/** The actor logic `registerLogic`: gives a machine access to a register as long as its XState actor runs. */
import { objectLogic, type Failed, type FromActor, type ObjectLogic } from '../object-logic.js';
import type { Json } from '../transports/transport.js';
import type { Register } from './register.js';

/**
 * The event of `registerLogic`: `change` changes the value as `register.change` does.
 *
 * @public
 */
export interface RegisterEvent<T extends Json = Json> {
  readonly type: 'change';
  /** The new value, from the value before. It can be called several times. */
  how(value: T): T;
}

/**
 * The notices of `registerLogic`: `value` at the start and after each change of this actor, `failed` for a change that failed.
 *
 * @public
 */
export type RegisterNotice<T extends Json = Json> =
  | (FromActor & { readonly type: 'value'; readonly value: T })
  | Failed<RegisterEvent<T>>;

/**
 * A register as actor logic: send it `change`, and receive `value` or `failed`. The snapshot has the last `value`, which is `undefined` until
 * a majority has answered. Changes of other peers are not announced. Stopping the actor cancels its changes.
 *
 * @example
 * ```ts
 * import { createActor, waitFor } from 'xstate';
 * import { createLocks } from 'xstate-quiver/locks';
 * import { createRegister, registerLogic } from 'xstate-quiver/register';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const isValue = (value: unknown): value is number => Number.isSafeInteger(value);
 * const register = createRegister({ locks, name: 'visits', initial: 0, isValue });
 * const visits = createActor(registerLogic.of(register)).start();
 * visits.send({ type: 'change', how: (count) => count + 1 });
 * await waitFor(visits, ({ value }) => value === 1);
 * visits.stop();
 * await locks.close();
 * ```
 * @public
 */
export const registerLogic: RegisterLogic = objectLogic<'register', Register<Json>, State<Json>, RegisterEvent, RegisterNotice>({
  key: 'register',
  method: 'change',
  initial: { value: undefined },
  attach(register, report, signal) {
    const change = async ({ how }: RegisterEvent): Promise<void> => {
      const value = await register.change(how, { signal });
      report({ value }, { type: 'value', value });
    };
    change(READ).catch((error: unknown) => report({}, { type: 'failed', error, event: READ }));
    return { change };
  },
  closed: ({ closed }) => closed,
}) as RegisterLogic;

const READ: RegisterEvent = { type: 'change', how: (value) => value };

interface State<T> {
  readonly value: T | undefined;
}

type Bound<T extends Json> = { readonly register: Register<T> } | undefined;

/** The type of `registerLogic`. */
interface RegisterLogic extends ObjectLogic<'register', Register<Json>, State<Json>, RegisterEvent, RegisterNotice> {
  of<T extends Json>(
    register: Register<T>,
  ): ObjectLogic<'register', Register<T>, State<T>, RegisterEvent<T>, RegisterNotice<T>, Bound<T>>;
}
