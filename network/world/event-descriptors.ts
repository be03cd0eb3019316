/** True if a transition for `descriptor` matches a type: the type itself, `*`, or a prefix such as `link.*`. */
export const answers = (descriptor: string, type: string): boolean =>
  descriptor === type || descriptor === '*' || (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));
