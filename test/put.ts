/** Replaces a property of a global object, and restores it. */

/** Restores the previous property. */
export type Undo = () => void;

export function put(owner: object, key: string, value: unknown): Undo {
  const before = Object.getOwnPropertyDescriptor(owner, key);
  Object.defineProperty(owner, key, { value, configurable: true, writable: true, enumerable: before?.enumerable ?? false });
  return () => {
    if (before) Object.defineProperty(owner, key, before);
    else Reflect.deleteProperty(owner, key);
  };
}
