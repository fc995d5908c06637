/**
 * Fields: expressions for the figures of a page, which state where in its data a figure comes from.
 *
 * A field is a path ('overview.kernels.time'), `sum(path)`, `max(path)` or `min(path)` over all of a list
 * ('sum(overview.devices.*.busy)'), or several joined by ' + ', ' - ' and ' / ', evaluated from left to right; a number is itself. Paths start
 * in the shown profile; those that begin with 'profiles.', 'advice.' or 'job.' start in the page's data, which has
 * outlines of the profiles.
 */
import { elementAt } from '../../containers/element.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import type { PageOutline } from '../../prof/html/page-elements.js';

export interface FieldScope {
  readonly data: PageOutline;
  readonly profile: PageProfile;
}

const OF_PAGE = /^(?:profiles|advice|job)\./;

/** The values at a path; several with '*'. */
function follow(from: unknown, keys: readonly string[]): unknown[] {
  const [key, ...rest] = keys;
  if (key === undefined) return [from];
  if (typeof from !== 'object' || from === null) return [null];
  if (key === '*') return Object.values(from).flatMap((one) => follow(one, rest));
  return follow((from as Readonly<Record<string, unknown>>)[key], rest);
}

const OVER: Readonly<Record<string, (known: readonly number[]) => number>> = {
  sum: (known) => known.reduce((all, one) => all + one, 0),
  max: (known) => known.reduce((most, one) => Math.max(most, one), -Infinity),
  min: (known) => known.reduce((least, one) => Math.min(least, one), Infinity),
};

function termOf(scope: FieldScope, term: string): number | null {
  if (/^\d+$/.test(term)) return Number(term);
  const [, over = 'sum', path = term] = /^(\w+)\((.*)\)$/.exec(term) ?? [];
  const found = follow(OF_PAGE.test(path) ? scope.data : scope.profile, path.split('.'));
  const known = found.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : (OVER[over]?.(known) ?? null);
}

/** The value of a field; null when a part of it is not known, or when it is divided by 0. */
export function valueOf(scope: FieldScope, field: string): number | null {
  const parts = field.split(/ ([-+/]) /);
  let value = termOf(scope, elementAt(parts, 0));
  for (let i = 1; i < parts.length; i += 2) {
    const sign = elementAt(parts, i);
    const next = termOf(scope, elementAt(parts, i + 1));
    if (value === null || next === null) return null;
    if (sign === '/') value = next === 0 ? null : value / next;
    else value += sign === '-' ? -next : next;
  }
  return value;
}
