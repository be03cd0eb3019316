/** What is shown of a value leaves its getters alone: one may do anything when it is called. */

/** What is in the place of what a getter would give. */
export const NOT_CALLED = '‹getter, not called›';

/** True if the holder itself has the key as a getter or a setter, and not as a value. */
export const isAccessor = (holder: object, key: string): boolean => {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  return own !== undefined && !('value' in own);
};
