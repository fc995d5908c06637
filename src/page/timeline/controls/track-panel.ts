/** The values of the tracks in sight as a table: for those who do not see the canvas, and for exact numbers. */
import { elementAt } from '../../../containers/element.js';
import { element } from '../../document/dom-elements.js';
import { whenPrinted } from '../../document/paper.js';
import { quantityText } from '../../document/units.js';
import { endOf, startOf } from '../events/events.js';
import type { Scene, SceneState } from '../model/scene.js';
import type { Track } from '../tracks/track.js';
import { foldedPanel } from './folded-panel.js';
import { momentText, rangeText, readingOf } from '../tracks/track-values.js';

/** ms without a change before the values are announced. */
const PAUSE = 80;
const TOLD: readonly (keyof SceneState)[] = ['view', 'event', 'pointer', 'closed', 'opened'];

/** The time whose values are shown: at the pointer, else in the middle of the selected event, else of the view. */
function timeTold({ events, shown: { pointer, event, view } }: Scene): readonly [time: number, name: string] {
  const inside = (time: number): number => Math.max(0, Math.min(events.span, time));
  if (pointer !== null) return [inside(pointer), 'the pointer'];
  if (event !== null) {
    return [inside((startOf(events, event) + endOf(events, event)) / 2), 'the middle of the selected event'];
  }
  return [inside((view.from + view.to) / 2), 'the middle of the view'];
}

/** ns of a pixel of a view of usual width. */
const pixelOf = ({ shown: { view } }: Scene): number => (view.to - view.from) / 1000;

const HEADS = ['counter', 'value', 'in view', 'stands for'] as const;

export function showTracks(scene: Scene, signal: AbortSignal): HTMLElement {
  const { events, extras } = scene;
  const contents = element('div', {});
  const { place, details, summary } = foldedPanel('Counters', 'tl-tracks', contents);
  const rowOf = (track: Track, time: number, isOfMany: boolean): HTMLElement => {
    const { view } = scene.shown;
    const { value, of } = readingOf(track, time, pixelOf(scene), events.origin);
    const [from, to] = [Math.max(0, view.from), Math.min(events.span, view.to)];
    const inView = `${track.drawn === 'mean' ? 'mean ' : ''}${rangeText(track.rangeOf(from, to), track.unit)}`;
    const name = isOfMany ? `${track.group}: ${track.name}` : track.name;
    const cells = [value, inView, `${of}; ${track.about}`].map((cell) => element('td', { title: cell }, cell));
    return element('tr', {}, element('th', { scope: 'row', title: name }, name), ...cells);
  };
  const show = (isOnPaper = false): void => {
    const tracks = scene.layout.tracks.map(({ track }) => elementAt(extras.tracks, track));
    place.hidden = tracks.length === 0;
    summary.textContent = `Counters (${quantityText(tracks.length, 'count')})`;
    if (tracks.length === 0 || !(details.open || isOnPaper)) return;
    const [time, name] = timeTold(scene);
    const isOfMany = new Set(tracks.map(({ group }) => group)).size > 1;
    const caption = `Counters at ${momentText(time + events.origin, pixelOf(scene))}, ${name}`;
    const heads = HEADS.map((head) => element('th', { scope: 'col' }, head));
    const { tracks: left, zero } = extras.leftOut;
    const notes = [
      ...(zero === 0 ? [] : [`${quantityText(zero, 'count')} counters that are 0 all the time are not drawn.`]),
      ...(left === 0 ? [] : [`${quantityText(left, 'count')} more series of samples are not in the page.`]),
    ];
    contents.replaceChildren(
      element(
        'div',
        { class: 'tl-tables' },
        element(
          'table',
          {},
          element('caption', {}, caption),
          element('thead', {}, element('tr', {}, ...heads)),
          element('tbody', {}, ...tracks.map((track) => rowOf(track, time, isOfMany))),
        ),
      ),
      ...notes.map((note) => element('p', { class: 'tl-hint' }, note)),
    );
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  scene.on(TOLD, () => {
    clearTimeout(pause);
    pause = setTimeout(() => show(), PAUSE);
  });
  details.addEventListener('toggle', () => show());
  whenPrinted(place, show);
  signal.addEventListener('abort', () => clearTimeout(pause));
  show();
  return place;
}
