/** The tooltip of the event under the pointer. */
import { element } from '../../document/dom-elements.js';
import { textOf } from '../events/events.js';
import { shortFacts } from '../events/event-facts.js';
import type { Scene } from '../model/scene.js';

/** Distance from the pointer, CSS pixels. */
const DISTANCE = 14;

/** A tooltip that is empty and hidden, and stays beside the pointer. @param name of its class */
export function tipAtPointer(name: string, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
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
