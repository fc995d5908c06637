/** Keys that make and move the selection. */
import { elementAt } from '../../../containers/element.js';
import { endOf, startOf } from '../events/events.js';
import type { Scene } from '../model/scene.js';
import { edgeMoved, keysOf, laneEdgeMoved, type TimelineSelection } from '../model/selection.js';

/** Part of the view by which a key moves an edge. */
const STEP = 0.01;

/** The time in view, on all lanes. */
export function selectionInSight({ shown: { view }, events }: Scene): TimelineSelection {
  return { from: Math.max(0, view.from), to: Math.min(events.span, view.to), lanes: null };
}

export const selectSight = (scene: Scene): void => scene.set({ span: selectionInSight(scene) });

/** The time and the lane of the selected event. */
export function selectEvent(scene: Scene): void {
  const { events, shown } = scene;
  if (shown.event === null) return;
  const lanes = keysOf(events.lanes, new Set([elementAt(events.lane, shown.event)]));
  const [from, to] = [Math.max(0, startOf(events, shown.event)), Math.min(events.span, endOf(events, shown.event))];
  if (from < to) scene.set({ span: { from, to, lanes } });
}

/** Moves an edge of the time by a step. */
export function moveTimeEdge(scene: Scene, edge: 'from' | 'to', by: 1 | -1): void {
  const { view } = scene.shown;
  const span = scene.shown.span ?? selectionInSight(scene);
  const step = by * STEP * (view.to - view.from);
  scene.set({ span: edgeMoved(span, edge, span[edge] + step, scene.events.span) });
}

/** Adds a lane below, or leaves the last one out. */
export function moveLaneEdge(scene: Scene, by: 1 | -1): void {
  const span = scene.shown.span ?? selectionInSight(scene);
  scene.set({ span: { ...span, lanes: laneEdgeMoved(scene.layout, scene.events.lanes, span.lanes, by) } });
}
