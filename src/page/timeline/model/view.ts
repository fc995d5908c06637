/** The visible span of time, how it moves, and the ticks of its axis, in ns from the timeline's start. */
import { grouped } from '../../document/units.js';
import { scaleOf } from '../../../record/units.js';

/** The smallest of 1, 2, 5 × 10^n ns that is at least `least` and at least 1 ns. */
export function tickStep(least: number): number {
  if (!(least > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((times) => times * power >= least * (1 - 1e-12)) ?? 10;
  return step * power;
}

/** Multiples of a step from `from` to `to`, both included. */
export function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: Math.min(count, 1000) }, (_, i) => (first + i) * step + 0);
}

/** A tick's text: in the unit for the largest time, with as many digits as the step needs. */
export function tickText(time: number, step: number, largest: number): string {
  const { unit, size } = scaleOf(Math.max(Math.abs(largest), step), 'time');
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${grouped(time / size, digits)} ${unit}`;
}

/** A span in ns; from the timeline's start, or from the profile's when so stated. */
export interface SelectedSpan {
  readonly from: number;
  readonly to: number;
}

export interface View {
  readonly from: number;
  readonly to: number;
}

/** Minimum span in ns. Profilers do not measure shorter times. */
const LEAST_SPAN = 20;
/** Free space on both sides, as a share of the whole. */
const MARGIN = 0.02;

/** The view of a whole timeline of `span` ns. */
export const fitted = (span: number): View => ({ from: -span * MARGIN, to: span * (1 + MARGIN) });

/** The nearest view of a timeline of `span` ns that is neither too narrow nor outside. */
export function within(view: View, span: number): View {
  const whole = fitted(span);
  if (!Number.isFinite(view.from) || !Number.isFinite(view.to)) return whole;
  const most = whole.to - whole.from;
  const width = Math.min(most, Math.max(LEAST_SPAN, view.to - view.from));
  // A view that is too narrow grows around its middle.
  const wished = view.from + (view.to - view.from - width) / 2;
  const from = Math.min(Math.max(wished, whole.from), whole.to - width);
  return { from, to: from + width };
}

/** @param factor above 1 zooms in; the time `at` keeps its position */
export function zoomed(view: View, factor: number, at: number, span: number): View {
  const whole = fitted(span);
  const width = Math.min(whole.to - whole.from, Math.max(LEAST_SPAN, (view.to - view.from) / factor));
  const place = (at - view.from) / (view.to - view.from);
  const from = at - place * width;
  return within({ from, to: from + width }, span);
}

export const panned = (view: View, by: number, span: number): View =>
  within({ from: view.from + by, to: view.to + by }, span);

export function around(from: number, to: number, span: number): View {
  const room = Math.max((to - from) * 0.1, LEAST_SPAN / 2);
  return within({ from: from - room, to: to + room }, span);
}

/** The view moved so that a span of time is visible; widened only when the span is wider. */
export function showing(view: View, from: number, to: number, span: number): View {
  if (from >= view.from && to <= view.to) return view;
  const width = view.to - view.from;
  if (to - from > width) return around(from, to, span);
  const middle = (from + to) / 2;
  return within({ from: middle - width / 2, to: middle + width / 2 }, span);
}

/** Minimum share of the view for an event that is shown: about 40 pixels. */
const LEAST_SHARE = 0.04;
/** Assumed duration in ns of an event without duration. */
const SHORTEST = 400;

/** The view with a span of time in its middle, with the same width if the span is then visible. */
export function centred(view: View, from: number, to: number, span: number): View {
  const most = Math.max(to - from, SHORTEST) / LEAST_SHARE;
  const width = Math.min(view.to - view.from, most);
  if (to - from > width) return around(from, to, span);
  const middle = (from + to) / 2;
  return within({ from: middle - width / 2, to: middle + width / 2 }, span);
}

/** @param x pixels from the left edge */
export const timeAt = (view: View, x: number, width: number): number =>
  view.from + (x / Math.max(1, width)) * (view.to - view.from);
