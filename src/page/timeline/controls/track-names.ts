/** Names of tracks and of the row of marks, at the left. */
import { element } from '../../document/dom-elements.js';
import type { TimelineLayout } from '../model/layout.js';
import type { PlacedTrack } from '../model/track-layout.js';
import { AXIS } from '../draw/size.js';

/** The track's name; of the first of several a button that shows and folds the others. */
function trackName({ name, top, height, fold }: PlacedTrack): HTMLElement {
  const style = `top:${AXIS + top}px;height:${height}px`;
  if (fold === null) return element('span', { class: 'tl-lane tl-track', title: name, style }, name);
  const { key, isOpen, more } = fold;
  const attributes = {
    ...{ type: 'button', class: 'tl-lane tl-fold tl-track', style, 'data-lane': key, 'aria-expanded': String(isOpen) },
    title: `${name}, and ${more} more counters`,
  };
  return element('button', attributes, `${isOpen ? '▾' : '▸'} ${name} (${more} more)`);
}

/** @param isOf whether what begins at a height of the layout is asked for */
export function extraNames(
  { tracks, marks }: TimelineLayout,
  isOf: (placed: { readonly top: number }) => boolean,
): HTMLElement[] {
  const row = { class: 'tl-lane tl-track', style: `top:${AXIS}px;height:${marks}px` };
  const ofMarks = marks > 0 && isOf({ top: 0 }) ? [element('span', row, 'notices')] : [];
  return [...ofMarks, ...tracks.filter(isOf).map(trackName)];
}
