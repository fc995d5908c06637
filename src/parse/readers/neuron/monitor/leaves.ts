/** The values of a report, each with the metric, unit and labels that follow from its path. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Labels } from '../../../../record/record.js';
import { isPeriod } from './report-times.js';
import { REPORT, type PathNode } from './value-paths.js';

export interface Leaf {
  readonly metric: string;
  readonly unit: string | null;
  /** Null for texts and nulls; 1 and 0 for true and false. */
  readonly value: number | null;
  readonly text?: string;
  readonly labels: Labels;
  /** Seconds that its metric group covers; null when the group has no period. */
  readonly period: number | null;
}

/** State of the traversal above a value. */
interface LeafContext {
  /** Keys from the root, joined by dots. */
  readonly path: string;
  readonly labels: Labels;
  /** Key of the nearest named member: the metric group of a `period` or an `error`. */
  readonly group: string;
  readonly period: number | null;
  /** Whether the monitor reports an error here: the numbers are unknown then, although it writes them as zeros. */
  readonly failed: boolean;
}

/** Reports are about eight levels deep. */
const DEEPEST = 64;

/** Keys of environments and command lines, which must reach no output, with or without `allFields`. */
const WITHHELD =
  /^(?:env|environ|environment|env_vars|environment_variables|cmd|cmdline|command|command_line|args|argv)$/i;

/** Whether it is an object or a list. */
const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Indices as numbers, names as they are. */
const labelOf = (key: string): string | number => (/^(?:0|[1-9]\d{0,14})$/.test(key) ? Number(key) : key);

/**
 * The values of the documented fields, of which the paths are known: what else somebody puts into a report may be a
 * password or a folder. The others are counted.
 * @param allFields whether to give those too
 */
export function leavesOf(
  report: Readonly<Record<string, unknown>>,
  diagnostics: Diagnostics,
  allFields: boolean,
): Leaf[] {
  const leaves: Leaf[] = [];
  visit(report, REPORT, { path: '', labels: {}, group: '', period: null, failed: false }, 0);
  return leaves;

  function visit(value: unknown, place: PathNode | null, context: LeafContext, depth: number): void {
    if (!isNested(value)) known(value, place, context);
    else if (depth === DEEPEST) diagnostics.count('too-deep');
    else members(value, place, context, depth);
  }

  function known(value: unknown, place: PathNode | null, context: LeafContext): void {
    if (allFields || (place !== null && place.metric !== null)) leaf(value, place, context);
    else if (value !== null) diagnostics.count('unknown-field');
  }

  function members(
    nested: Readonly<Record<string, unknown>>,
    place: PathNode | null,
    outer: LeafContext,
    depth: number,
  ): void {
    const context = contextWithin(nested, place, outer);
    const inGroup = (): LeafContext => ({ ...context, labels: { ...context.labels, group: context.group } });
    const isList = Array.isArray(nested);
    for (const [key, value] of Object.entries(nested)) {
      if (WITHHELD.test(key)) diagnostics.count('withheld-value');
      else if (key === 'period' && typeof value === 'number') {
        leaf(value, { metric: 'period', unit: 's' }, { ...inGroup(), failed: false });
      } else if (key === 'error' && typeof value === 'string') {
        if (value === '') continue;
        if (place !== null || allFields) leaf(value, { metric: 'error', unit: null }, inGroup());
        else diagnostics.count('unknown-field');
      } else {
        const next = place?.member(key) ?? null;
        const path = next?.any === true ? context.path : `${context.path}${context.path === '' ? '' : '.'}${key}`;
        const label = next?.label ?? null;
        const labels = label === null ? context.labels : { ...context.labels, [label]: labelOf(key) };
        const group = isList || next?.any === true ? context.group : key;
        const failed = context.failed && !isIdentity(place, key);
        visit(value, next?.place ?? null, { ...context, path, labels, group, failed }, depth + 1);
      }
    }
  }

  function leaf(value: unknown, place: Pick<PathNode, 'metric' | 'unit'> | null, context: LeafContext): void {
    // A null in place of a group or a list is no value.
    if (value === null && place !== null && place.metric === null) return;
    const number = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;
    leaves.push({
      metric: place?.metric ?? context.path,
      unit: place?.unit ?? null,
      // JSON.parse reads 1e999 as Infinity.
      value: Number.isFinite(number) && !context.failed ? number : null,
      ...(typeof value === 'string' ? { text: value } : undefined),
      labels: context.labels,
      period: context.period,
    });
  }
}

/** The context inside an object: labels that identify it, and its period. */
function contextWithin(
  nested: Readonly<Record<string, unknown>>,
  place: PathNode | null,
  context: LeafContext,
): LeafContext {
  const { period, error } = nested;
  const identities = place?.identities ?? [];
  const failed = context.failed || (typeof error === 'string' && error !== '');
  if (identities.length === 0 && period === undefined && failed === context.failed) return context;
  const labels: Record<string, string | number> = { ...context.labels };
  for (const [key, label] of identities) {
    const value = nested[key];
    if (typeof value === 'string' || typeof value === 'number') labels[label] = value;
  }
  return { ...context, labels, period: isPeriod(period) ? period : context.period, failed };
}

/** Whether a member identifies its object, as a process id does. */
const isIdentity = (place: PathNode | null, key: string): boolean =>
  place?.identities.some(([name]) => name === key) === true;
