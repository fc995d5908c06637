/** The legend of the colours. A click on an entry searches for its text. */
import { plural } from '../../../record/plural.js';
import { elementAt } from '../../../containers/element.js';
import { element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { STRONG, UNKNOWN, type LegendEntry } from '../events/event-colours.js';
import type { Scene } from '../model/scene.js';
import { FULL, PRINTED, readTheme, styleOf, watchTheme, type CanvasTheme } from '../draw/canvas-colours.js';

function title({ text, count, time }: LegendEntry): string {
  return `${text ?? 'unknown'}: ${quantityText(count, 'count')} events, ${quantityText(time, 'ns')}`;
}

export function showLegend(scene: Scene, signal: AbortSignal): HTMLElement {
  const place = element('div', { class: 'tl-legend', role: 'group', 'aria-label': 'Colours' });
  let theme: CanvasTheme = PRINTED;
  const swatch = (slot: number): HTMLElement => {
    const made = element('i', { 'aria-hidden': 'true' });
    made.style.background = elementAt(theme.fills, styleOf(slot, FULL));
    return made;
  };
  const show = (): void => {
    const { legend, rest } = scene.colours;
    const { colour } = scene.shown;
    const field = colour === 'kernel' ? 'name' : colour;
    const entries = legend.map((entry) => {
      const { text, slot } = entry;
      const inside = [swatch(slot), element('span', {}, text ?? 'unknown')];
      if (text === null || slot === UNKNOWN) return element('span', { title: title(entry) }, ...inside);
      const made = element('button', { type: 'button', title: title(entry) }, ...inside);
      made.addEventListener('click', () => {
        // The text up to its first quote, as a quote would end it.
        const [start = ''] = text.split('"');
        scene.set({ search: `${field}:"${start}"` });
      });
      return made;
    });
    const others = `${quantityText(rest.count, 'count')} ${plural(rest.count, 'other')}, paler (${quantityText(rest.time, 'ns')})`;
    const pale = element('span', {}, swatch(STRONG), element('span', {}, others));
    place.replaceChildren(...entries, ...(rest.count === 0 ? [] : [pale]));
  };
  const applyTheme = (isPrinted: boolean): void => {
    theme = isPrinted ? PRINTED : readTheme(place);
    show();
  };
  scene.on(['colour'], show);
  watchTheme(applyTheme, signal);
  // The theme can only be read once the legend is part of the page.
  requestAnimationFrame(() => applyTheme(matchMedia('print').matches));
  show();
  return place;
}
