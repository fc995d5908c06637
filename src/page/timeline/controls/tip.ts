/** A few lines beside the pointer about the event beneath it. */
import { element } from '../../document/element.js';
import { textOf } from '../model/events.js';
import { shortFacts } from '../model/event-facts.js';
import type { Scene } from '../draw/scene.js';

/** CSS pixels from the pointer. */
const AWAY = 14;

export function showTip(scene: Scene, canvas: HTMLElement, signal: AbortSignal): HTMLElement {
  const tip = element('div', { class: 'tl-tip', hidden: true, 'aria-hidden': 'true' });
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const isRight = offsetX > canvas.clientWidth / 2;
    const isLow = offsetY > canvas.clientHeight / 2;
    tip.style.left = isRight ? '' : `${offsetX + AWAY}px`;
    tip.style.right = isRight ? `${canvas.clientWidth - offsetX + AWAY}px` : '';
    tip.style.top = isLow ? '' : `${offsetY + AWAY}px`;
    tip.style.bottom = isLow ? `${canvas.clientHeight - offsetY + AWAY}px` : '';
  }, { signal }); // prettier-ignore
  scene.watch((changed) => {
    if (!changed.has('hovered')) return;
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
