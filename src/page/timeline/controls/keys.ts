/** Keys of a timeline and their actions, including those that make and move the selection. */
import { elementAt } from '../../../containers/element.js';
import type { Scene } from '../model/scene.js';
import { around, fitted, panned, zoomed } from '../model/view.js';
import { endOf, startOf } from '../events/events.js';
import { firstAtLeast, eventsInRange } from '../model/lane-rows.js';
import { edgeMoved, keysOf, laneEdgeMoved, type TimelineSelection } from '../model/selection.js';

/** Share of the view by which a key moves an edge. */
const EDGE_STEP = 0.01;

/** The visible time, on all lanes. */
export function selectionInSight({ shown: { view }, events }: Scene): TimelineSelection {
  return { from: Math.max(0, view.from), to: Math.min(events.span, view.to), lanes: null };
}

const selectSight = (scene: Scene): void => scene.set({ span: selectionInSight(scene) });

/** Selects the time and the lane of the selected event. */
function selectEvent(scene: Scene): void {
  const { events, shown } = scene;
  if (shown.event === null) return;
  const lanes = keysOf(events.lanes, new Set([elementAt(events.lane, shown.event)]));
  const [from, to] = [Math.max(0, startOf(events, shown.event)), Math.min(events.span, endOf(events, shown.event))];
  if (from < to) scene.set({ span: { from, to, lanes } });
}

/** Moves a time edge of the selection by a step. */
function moveTimeEdge(scene: Scene, edge: 'from' | 'to', by: 1 | -1): void {
  const { view } = scene.shown;
  const span = scene.shown.span ?? selectionInSight(scene);
  const step = by * EDGE_STEP * (view.to - view.from);
  scene.set({ span: edgeMoved(span, edge, span[edge] + step, scene.events.span) });
}

/** Adds a lane at the bottom of the selection, or removes the last one. */
function moveLaneEdge(scene: Scene, by: 1 | -1): void {
  const span = scene.shown.span ?? selectionInSight(scene);
  scene.set({ span: { ...span, lanes: laneEdgeMoved(scene.layout, scene.events.lanes, span.lanes, by) } });
}

export interface KeyActions {
  readonly scene: Scene;
  /** Scrolls the lanes by CSS pixels. */
  readonly scroll: (by: number) => void;
  readonly addMarker: () => void;
  readonly nextMatch: (step: 1 | -1) => void;
  readonly focusSearch: () => void;
  /** Shows the previous or next piece of the profile. */
  readonly stepPiece: (by: 1 | -1) => void;
}

type KeyAction = (keys: KeyActions) => void;

const PAN_STEP = 0.15;
const FACTOR = 1.5;
const SCROLL = 54;

const pan =
  (part: number): KeyAction =>
  ({ scene }) => {
    const { view } = scene.shown;
    scene.look(panned(view, part * (view.to - view.from), scene.events.span));
  };

/** Zooms around the pointer, else around the selected event if it is visible, else around the middle. */
const zoom =
  (factor: number): KeyAction =>
  ({ scene }) => {
    const { view, pointer, event } = scene.shown;
    const selected = event === null ? NaN : startOf(scene.events, event);
    const middle = selected >= view.from && selected <= view.to ? selected : (view.from + view.to) / 2;
    scene.look(zoomed(view, factor, pointer ?? middle, scene.events.span));
  };

const scroll =
  (by: number): KeyAction =>
  (keys) =>
    keys.scroll(by);

/**
 * Selects the previous or next event in the row of the selected one; without a selection, the first visible event of the
 * first row.
 */
const along =
  (step: 1 | -1): KeyAction =>
  ({ scene }) => {
    const { event, view } = scene.shown;
    const band = event === null ? scene.layout.bands[0] : scene.bandOf(event);
    if (band === null || band === undefined) return;
    const { row } = band;
    const place = event === null ? eventsInRange(row, view.from, view.to).from : row.events.indexOf(event) + step;
    const next = row.events[place];
    if (next !== undefined) scene.select(next);
  };

/** Selects the event in the row above or below that is nearest to the middle of the selected one. */
const across =
  (step: 1 | -1): KeyAction =>
  (keys) => {
    const { scene } = keys;
    const { event } = scene.shown;
    const band = event === null ? null : scene.bandOf(event);
    if (event === null || band === null) {
      along(1)(keys);
      return;
    }
    const { bands } = scene.layout;
    const middle = (startOf(scene.events, event) + endOf(scene.events, event)) / 2;
    for (let at = bands.indexOf(band) + step; at >= 0 && at < bands.length; at += step) {
      const { row } = elementAt(bands, at);
      if (row.events.length === 0) continue;
      const place = Math.min(firstAtLeast(row.reach, middle), row.events.length - 1);
      scene.select(elementAt(row.events, place));
      return;
    }
  };

/** Zooms to the selected span, else to the selected event. */
const fill: KeyAction = ({ scene }) => {
  const { span, event } = scene.shown;
  if (span !== null) scene.look(around(span.from, span.to, scene.events.span));
  else if (event !== null)
    scene.look(around(startOf(scene.events, event), endOf(scene.events, event), scene.events.span));
};

/** Actions by key name, with the prefix `shift ` when shift changes the action. */
const ACTS: Readonly<Record<string, KeyAction>> = {
  arrowleft: pan(-PAN_STEP),
  a: pan(-PAN_STEP),
  arrowright: pan(PAN_STEP),
  d: pan(PAN_STEP),
  '+': zoom(FACTOR),
  '=': zoom(FACTOR),
  w: zoom(FACTOR),
  '-': zoom(1 / FACTOR),
  s: zoom(1 / FACTOR),
  arrowup: scroll(-SCROLL),
  arrowdown: scroll(SCROLL),
  pageup: scroll(-SCROLL * 5),
  pagedown: scroll(SCROLL * 5),
  'shift arrowleft': along(-1),
  'shift arrowright': along(1),
  'shift arrowup': across(-1),
  'shift arrowdown': across(1),
  '0': ({ scene }) => scene.look(fitted(scene.events.span)),
  f: fill,
  x: ({ scene }) => selectSight(scene),
  'shift x': ({ scene }) => selectEvent(scene),
  ',': ({ scene }) => moveTimeEdge(scene, 'from', -1),
  '.': ({ scene }) => moveTimeEdge(scene, 'from', 1),
  '<': ({ scene }) => moveTimeEdge(scene, 'to', -1),
  '>': ({ scene }) => moveTimeEdge(scene, 'to', 1),
  l: ({ scene }) => moveLaneEdge(scene, 1),
  'shift l': ({ scene }) => moveLaneEdge(scene, -1),
  escape: ({ scene }) => {
    if (scene.shown.span !== null) scene.set({ span: null, spanning: false });
    else scene.set({ event: null });
  },
  m: ({ addMarker }) => addMarker(),
  n: ({ nextMatch }) => nextMatch(1),
  'shift n': ({ nextMatch }) => nextMatch(-1),
  '/': ({ focusSearch }) => focusSearch(),
  '[': ({ stepPiece }) => stepPiece(-1),
  ']': ({ stepPiece }) => stepPiece(1),
};

export function actOn(key: string, isShifted: boolean, keys: KeyActions): boolean {
  const name = key.toLowerCase();
  const act = (isShifted ? ACTS[`shift ${name}`] : undefined) ?? ACTS[name];
  act?.(keys);
  return act !== undefined;
}
