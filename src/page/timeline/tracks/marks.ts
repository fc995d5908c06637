/** Marks of a timeline: what its data has of times, gaps and kernels of the advice; ns from the timeline's start. */
import type { PageGap } from '../../../prof/html/idle/idle-data.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { IDLE_NAMES } from '../../figures/time-parts.js';
import { elementAt } from '../../../containers/element.js';
import { quantityText } from '../../document/units.js';
import { endOf, startOf, type TimelineEvents } from '../events/events.js';
import type { KernelAdvice } from './timeline-context.js';

/** Names of kinds in a list of marks. */
export const MARK_NAMES: Readonly<Record<TimelineMark['kind'], string>> = {
  throttling: 'Throttling',
  missing: 'Work that is not in the profile',
  cut: 'End of what was read',
  gap: 'Longest gaps',
  advice: 'Kernels of the advice',
  step: 'Steps',
};

function gapMark({ device, start, time, cause, host, before, after }: PageGap): TimelineMark {
  const [name] = IDLE_NAMES[cause];
  const where = host === null ? '' : `, the host in ${host}`;
  const text = `device ${device}, ${quantityText(time, 'ns')}: ${name}${where}; after ${before}, before ${after}`;
  return { kind: 'gap', start, end: start + time, device, text };
}

/** Of kernels that are drawn one by one: their times are not in the page otherwise. */
function adviceMarks(events: TimelineEvents, advice: readonly KernelAdvice[]): TimelineMark[] {
  if (events.merged !== null) return [];
  const texts = new Map<number, string[]>();
  for (const { text, kernels } of advice)
    for (const kernel of kernels) texts.set(kernel, [...(texts.get(kernel) ?? []), text]);
  if (texts.size === 0) return [];
  const marks: TimelineMark[] = [];
  for (let event = 0; event < events.count; event++) {
    const id = elementAt(events.id, event);
    const found = id > 0 ? texts.get(id) : undefined;
    if (found === undefined) continue;
    const [start, end] = [startOf(events, event), endOf(events, event)];
    marks.push(...found.map((text): TimelineMark => ({ kind: 'advice', start, end, device: null, text })));
  }
  return marks;
}

/** @param list ns from the profile's start, as gaps have them. @returns in order of start */
export function marksOf(
  events: TimelineEvents,
  list: readonly TimelineMark[],
  gaps: readonly PageGap[],
  advice: readonly KernelAdvice[],
): TimelineMark[] {
  const moved = [...list, ...gaps.map(gapMark)].map((mark) => ({
    ...mark,
    start: mark.start - events.origin,
    end: mark.end - events.origin,
  }));
  return [...moved, ...adviceMarks(events, advice)].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Marks at a time, within `near` ns of it, the shortest first. */
export const marksAt = (marks: readonly TimelineMark[], time: number, near: number): TimelineMark[] =>
  marks
    .filter(({ start, end }) => start - near <= time && time <= end + near)
    .sort((a, b) => a.end - a.start - (b.end - b.start));
