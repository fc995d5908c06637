/** Facts by patterns of kernel names; first match wins. */
export type NamePatterns<T> = readonly (readonly [pattern: RegExp, fact: T])[];

/** The fact of the first pattern that matches; null when none does. */
export const firstMatch = <T>(patterns: NamePatterns<T>, name: string): T | null =>
  patterns.find(([pattern]) => pattern.test(name))?.[1] ?? null;
