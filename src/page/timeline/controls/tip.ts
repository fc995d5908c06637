/** The tooltip of the event under the pointer. */
import { element } from '../../document/dom-elements.js';
import { textOf } from '../events/events.js';
import { shortFacts } from '../events/event-facts.js';
import type { Scene } from '../model/scene.js';
import { elementAt } from '../../../containers/element.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import type { TimelineCanvas } from '../draw/stage.js';
import { AXIS } from '../draw/size.js';
import { trackAt } from '../model/layout.js';
import { around } from '../model/view.js';
import { marksAt } from '../tracks/marks.js';
import { momentText, readingOf, scaleText } from '../tracks/track-values.js';

/** Distance from the pointer, CSS pixels. */
const DISTANCE = 14;

/** A tooltip that is empty and hidden, and stays beside the pointer. @param name of its class */
function tipAtPointer(name: string, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
  const tip = element('div', { class: name, hidden: true, 'aria-hidden': 'true' });
  const follow = ({ offsetX, offsetY }: PointerEvent): void => {
    const isRight = offsetX > canvas.clientWidth / 2;
    const isLow = offsetY > canvas.clientHeight / 2;
    tip.style.left = isRight ? '' : `${offsetX + DISTANCE}px`;
    tip.style.right = isRight ? `${canvas.clientWidth - offsetX + DISTANCE}px` : '';
    tip.style.top = isLow ? '' : `${offsetY + DISTANCE}px`;
    tip.style.bottom = isLow ? `${canvas.clientHeight - offsetY + DISTANCE}px` : '';
  };
  canvas.addEventListener('pointermove', follow, { signal });
  return tip;
}

export function showTip(scene: Scene, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
  const tip = tipAtPointer('tl-tip', canvas, signal);
  scene.on(['hovered'], () => {
    const { hovered } = scene.shown;
    tip.hidden = hovered === null;
    if (hovered === null) return;
    tip.replaceChildren(
      element('b', {}, textOf(scene.events, 'name', hovered) ?? 'na'),
      ...shortFacts(scene.events, hovered).map(([name, value]) => element('div', {}, `${name}: ${value}`)),
    );
  });
  return tip;
}

/** Distance at which the pointer still hits a mark, and up to which it has not moved between press and release, CSS pixels. */
const NEAR = 3;
const MOST_MARKS = 6;

export function showTrackTip(scene: Scene, stage: TimelineCanvas, signal: AbortSignal): HTMLElement {
  const { canvas } = stage;
  const tip = tipAtPointer('tl-track-tip', canvas, signal);
  const perPixel = (): number => (scene.shown.view.to - scene.shown.view.from) / Math.max(1, stage.size.width);
  const marksUnder = (x: number, y: number): TimelineMark[] => {
    const isOn = y >= AXIS && stage.laneY(y) < scene.layout.marks;
    return isOn ? marksAt(scene.extras.marks, stage.timeAt(x), NEAR * perPixel()) : [];
  };
  const show = (x: number, y: number): void => {
    const marks = marksUnder(x, y);
    const placed = trackAt(scene.layout.tracks, stage.laneY(y));
    const time = stage.timeAt(x);
    const isInside = time >= 0 && time <= scene.events.span;
    tip.hidden = marks.length === 0 && (placed === null || !isInside);
    if (tip.hidden) return;
    if (placed === null)
      tip.replaceChildren(...marks.slice(0, MOST_MARKS).map((mark) => markText(scene, mark, perPixel())));
    else tip.replaceChildren(...trackTexts(scene, placed.track, time, perPixel()));
    if (placed === null && marks.length > MOST_MARKS) tip.append(`and ${marks.length - MOST_MARKS} more`);
  };
  const hide = (): void => {
    tip.hidden = true;
  };
  const move = ({ offsetX, offsetY, buttons }: PointerEvent): void => {
    // It would cover what a drag selects.
    if (buttons === 0) show(offsetX, offsetY);
    else hide();
  };
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerleave', hide, { signal });
  let pressed: readonly [x: number, y: number] = [NaN, NaN];
  canvas.addEventListener('pointerdown', ({ offsetX, offsetY }) => (pressed = [offsetX, offsetY]), { signal });
  canvas.addEventListener(
    'click',
    ({ offsetX: x, offsetY: y }) => {
      const [mark] = marksUnder(x, y);
      const isStill = Math.abs(x - pressed[0]) <= NEAR && Math.abs(y - pressed[1]) <= NEAR;
      if (mark !== undefined && isStill) scene.look(around(mark.start, mark.end, scene.events.span));
    },
    { signal },
  );
  return tip;
}

function markText({ events }: Scene, { start, end, text }: TimelineMark, perPixel: number): HTMLElement {
  const momentOf = (at: number): string => momentText(at + events.origin, perPixel);
  const time =
    end > start
      ? `${momentOf(start)} to ${momentOf(end)} (${quantityText(end - start, 'ns')})`
      : `at ${momentOf(start)}`;
  return element('div', {}, element('b', {}, text), time);
}

function trackTexts({ extras, events }: Scene, number: number, time: number, perPixel: number): HTMLElement[] {
  const track = elementAt(extras.tracks, number);
  const { value, of } = readingOf(track, time, perPixel, events.origin);
  const lines = [
    of,
    `scale: ${scaleText(track)}`,
    `drawn: ${track.drawn} of each pixel, ${quantityText(perPixel, 'ns')}`,
    track.about,
  ];
  return [element('b', {}, `${track.name}: ${value}`), ...lines.map((line) => element('div', {}, line))];
}
