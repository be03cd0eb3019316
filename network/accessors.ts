/** Displays values without calling their getters, which may have side effects. */

/** The placeholder for the result of a getter. */
export const NOT_CALLED = '‹getter, not called›';

/** True if the holder itself has the key as a getter or a setter, and not as a value. */
export const isAccessor = (holder: object, key: string): boolean => {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  return own !== undefined && !('value' in own);
};
