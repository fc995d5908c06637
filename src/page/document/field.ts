/**
 * Names of figures: where a figure comes from in the data of a page, so that a reader, or a test, finds it again.
 *
 * A field is a path ('overview.kernels.time'), `sum(path)`, `max(path)` or `min(path)` over all of a list
 * ('sum(overview.devices.*.busy)'), or several joined by ' + ', ' - ' and ' / ', done from left to right. Paths start in
 * the profile that is shown; those that begin with 'profiles.' or 'advice.' start in the page's data.
 */
import type { PageData, PageProfile } from '../../prof/html/page-data.js';

export interface FieldScope {
  readonly data: PageData;
  readonly profile: PageProfile;
}

const OF_PAGE = /^(?:profiles|advice)\./;

/** What a path leads to; several with '*'. */
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
  const [, over = 'sum', path = term] = /^(\w+)\((.*)\)$/.exec(term) ?? [];
  const found = follow(OF_PAGE.test(path) ? scope.data : scope.profile, path.split('.'));
  const known = found.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : (OVER[over]?.(known) ?? null);
}

/** The figure that a field names; null when a part of it is not known, or when it is a share of nothing. */
export function valueOf(scope: FieldScope, field: string): number | null {
  const [first = '', ...rest] = field.split(/ ([-+/]) /);
  let value = termOf(scope, first);
  for (let i = 0; i + 1 < rest.length; i += 2) {
    const next = termOf(scope, rest[i + 1] ?? '');
    if (value === null || next === null) return null;
    if (rest[i] === '/') value = next === 0 ? null : value / next;
    else value += rest[i] === '-' ? -next : next;
  }
  return value;
}
