/** What the colours mean. A click searches for it. */
import { element } from '../../document/element.js';
import { written } from '../../document/units.js';
import { STRONG, UNKNOWN, type ColourKey, type LegendEntry } from '../draw/colours.js';
import type { Scene } from '../draw/scene.js';
import { FULL, PRINTED, readTheme, styleOf, watchTheme, type CanvasTheme } from '../draw/canvas-colours.js';

/** Field of a search by the colour's key. */
const FIELDS: Readonly<Record<ColourKey, string>> = {
  op: 'op',
  layer: 'layer',
  dtype: 'dtype',
  kernel: 'name',
  kind: 'kind',
  tc: 'tc',
};

function title({ text, count, time }: LegendEntry): string {
  return `${text ?? 'not known'}: ${written(count, 'count')} events, ${written(time, 'ns')}`;
}

export function showLegend(scene: Scene, signal: AbortSignal): HTMLElement {
  const place = element('div', { class: 'tl-legend', role: 'group', 'aria-label': 'Colours' });
  let theme: CanvasTheme = PRINTED;
  const swatch = (slot: number): HTMLElement => {
    const made = element('i', { 'aria-hidden': 'true' });
    made.style.background = theme.fills[styleOf(slot, FULL)] ?? '';
    return made;
  };
  const show = (): void => {
    const { legend, rest } = scene.colours;
    const field = FIELDS[scene.shown.colour];
    const entries = legend.map((entry) => {
      const { text, slot } = entry;
      const inside = [swatch(slot), element('span', {}, text ?? 'not known')];
      if (text === null || slot === UNKNOWN) return element('span', { title: title(entry) }, ...inside);
      const made = element('button', { type: 'button', title: title(entry) }, ...inside);
      made.addEventListener('click', () => {
        // A quote within would end the quoted text: what follows it is left to the search of all fields.
        scene.set({ search: `${field}:"${text.split('"')[0] ?? ''}"` });
      });
      return made;
    });
    const others = `${written(rest.count, 'count')} others, paler (${written(rest.time, 'ns')})`;
    const pale = element('span', {}, swatch(STRONG), element('span', {}, others));
    place.replaceChildren(...entries, ...(rest.count === 0 ? [] : [pale]));
  };
  const dress = (isPrinted: boolean): void => {
    theme = isPrinted ? PRINTED : readTheme(place);
    show();
  };
  scene.watch((changed) => {
    if (changed.has('colour')) show();
  });
  watchTheme(dress, signal);
  // The style of the page is known when the legend is part of it.
  requestAnimationFrame(() => {
    dress(matchMedia('print').matches);
  });
  show();
  return place;
}
