/** A module as an import names it, from a file in that folder. */
import { relative, sep } from 'node:path';

export function relativeModule(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll(sep, '/');
  return way.startsWith('.') ? way : `./${way}`;
}
