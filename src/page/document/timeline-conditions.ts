/** Conditions of the timeline's search that find the events of a row of the page's tables. Needs no document. */
import type { NamedField, PageTimeline } from '../../prof/html/timeline/timeline-data.js';

/** A condition, and what the events are named by: without an event of that name the row is no link. */
export interface NamedEvents {
  readonly field: NamedField;
  readonly names: readonly string[];
  readonly condition: string;
}

/** A value in a condition. */
export const searched = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Kernels by the name of tables. */
export const kernelsNamed = (name: string): NamedEvents => ({
  ...{ field: 'kernel', names: [name], condition: `kernel==${searched(name)}` },
});

/**
 * Kernels of one profile, whose numbers those of another have too.
 * @param kernels as findings have them: 'PROFILE:IDX'
 * @param isAlone whether no other profile need be distinguished from it
 */
export function kernelsNumbered(kernels: readonly string[], profile: number, isAlone: boolean): string {
  const ids = kernels.map((kernel) => `id==${kernel.split(':')[1] ?? ''}`).join(' || ');
  return isAlone ? ids : `profile==${profile} && (${ids})`;
}

/** Kernels of an op, and its calls on the host. */
export const ofOp = (op: string): NamedEvents => ({ field: 'op', names: [op], condition: `op==${searched(op)}` });

/** @param path from the top; a name may hold several layers */
export const inLayer = (path: readonly string[]): NamedEvents => {
  const joined = path.join('/');
  const condition = joined.split('/').map((layer) => `layer==${searched(layer)}`);
  return { field: 'layer', names: [joined], condition: condition.join(' && ') };
};

/** Kernels of one name in a layer: a single one may lie outside of the timeline. */
export const kernelsInLayer = (path: readonly string[], name: string): NamedEvents => {
  const condition = `${inLayer(path).condition} && kernel==${searched(name)}`;
  return { ...kernelsNamed(name), condition };
};

/** @param kind with `#` for the numbers in which several texts differ */
export const ofRange = (kind: string, texts: readonly string[]): NamedEvents => {
  const condition =
    texts.length === 1 ? `range==${searched(texts[0] ?? kind)}` : `range=~${searched(kind.replaceAll('#', '*'))}`;
  return { field: 'range', names: texts, condition };
};

/** Whether the timeline has events of any of the names. */
export const hasEvents = ({ lacks }: PageTimeline, { field, names }: NamedEvents): boolean =>
  names.some((name) => name !== '' && !lacks[field].includes(name));
