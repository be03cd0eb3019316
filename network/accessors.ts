/** Detects getters and setters, so that a value can be shown without calling them: a getter may have side effects. */

/** The text that is shown for a getter. */
export const NOT_CALLED = '‹getter, not called›';

/** True if the holder itself has the key as a getter or a setter, and not as a value. */
export const isAccessor = (holder: object, key: string): boolean => {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  return own !== undefined && !('value' in own);
};
