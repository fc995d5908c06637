/** Values that users choose by name. */
import { nearest, UsageError } from './errors.js';

/**
 * The value with a name.
 * @param what the name stands for, in messages: 'format', 'rule' …
 * @throws UsageError naming the nearest name, or all of them
 */
export function requireNamed<T>(what: string, name: string, known: readonly T[], nameOf: (one: T) => string): T {
  const found = known.find((one) => nameOf(one) === name);
  if (found !== undefined) return found;
  const names = known.map(nameOf);
  const near = nearest(name, names);
  throw new UsageError(
    `unknown ${what} '${name}'`,
    near === null ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`,
  );
}

/** @throws UsageError naming the nearest name, or all of them */
export const requireName = <Name extends string>(what: string, name: string, known: readonly Name[]): Name =>
  requireNamed(what, name, known, (one) => one);
