import type { Labels } from '../../../record/record.js';

/** Facts of a profile without those that are unknown: null, undefined, or an empty text. */
export function knownFacts(facts: Readonly<Record<string, string | number | null | undefined>>): Labels {
  const isKnown = (fact: [string, string | number | null | undefined]): fact is [string, string | number] =>
    fact[1] !== null && fact[1] !== undefined && fact[1] !== '';
  return Object.fromEntries(Object.entries(facts).filter(isKnown));
}
