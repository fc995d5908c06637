/** The list of markers: show, rename or remove one; save all to a file, load them from a file. */
import { button, element, isText } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { foldedPanel } from './folded-panels.js';
import {
  LARGEST_FILE,
  LONGEST_NAME,
  MOST_MARKERS,
  sortedMarkers,
  markerName,
  mergedMarkers,
  readMarkers,
  writeMarkers,
  type TimelineMarker,
} from '../model/timeline-markers.js';
import { startOf } from '../events/events.js';
import type { Scene } from '../model/scene.js';
import { showing } from '../model/view.js';

interface MarkerPanel {
  readonly place: HTMLElement;
  /** Sets a marker at the pointer, else at the selected event, else in the middle of the view. */
  readonly add: () => void;
  /** Sets markers on right clicks, and on the M key wherever the focus is while the timeline is shown. */
  readonly listen: (canvas: HTMLElement, timeAt: (x: number) => number, signal: AbortSignal) => void;
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = element('a', { href: address, download: name });
  link.click();
  // The URL is needed until the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function showMarkers(scene: Scene): MarkerPanel {
  const { events } = scene;
  const status = element('p', { class: 'tl-status', role: 'status' });
  const list = element('ol');
  const change = (before: TimelineMarker, after: readonly TimelineMarker[]): void => {
    const others = scene.shown.markers.filter((marker) => marker !== before);
    scene.set({ markers: sortedMarkers([...others, ...after]) });
  };
  const add = (): void => {
    const { pointer, event, view, markers } = scene.shown;
    if (markers.length >= MOST_MARKERS) {
      status.textContent = `at most ${MOST_MARKERS} markers`;
      return;
    }
    const time = pointer ?? (event === null ? (view.from + view.to) / 2 : startOf(events, event));
    const marker = { at: Math.round(events.origin + time), name: `marker ${markers.length + 1}` };
    scene.set({ markers: sortedMarkers([...markers, marker]) });
  };
  const item = (marker: TimelineMarker): HTMLElement => {
    const name = element('input', { value: marker.name, maxlength: LONGEST_NAME, 'aria-label': 'Name of the marker' });
    name.addEventListener('change', () => change(marker, [{ at: marker.at, name: markerName(name.value) }]));
    const time = marker.at - events.origin;
    const show = (): void => scene.set({ view: showing(scene.shown.view, time, time, events.span) });
    const remove = (): void => change(marker, []);
    return element(
      'li',
      {},
      button(quantityText(marker.at, 'ns'), show, { title: 'show' }),
      name,
      button('Remove', remove, { 'aria-label': `Remove ${marker.name}` }),
    );
  };
  const file = element('input', {
    type: 'file',
    accept: '.json,application/json',
    hidden: true,
    'aria-label': 'File of markers',
  });
  const load = async (): Promise<void> => {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    try {
      if (chosen.size > LARGEST_FILE * 3) throw new Error(`the file is larger than ${LARGEST_FILE / 1e6} MB`);
      const read = readMarkers(await chosen.text());
      scene.set({ markers: mergedMarkers(scene.shown.markers, read) });
      status.textContent = `${quantityText(read.length, 'count')} markers read`;
    } catch (error) {
      status.textContent = `not read: ${error instanceof Error ? error.message : 'no markers'}`;
    }
    // Otherwise choosing the same file again would not be a change.
    file.value = '';
  };
  file.addEventListener('change', () => {
    void load();
  });
  const save = button('Save markers', () => download('markers.json', writeMarkers(scene.shown.markers)));
  const open = button('Load markers', () => file.click());
  const buttons = element('div', { class: 'tl-buttons' }, button('Add marker', add, { title: 'M' }), save, open, file);
  const { place, details, summary } = foldedPanel('Markers', 'tl-markers', buttons, status, list);
  const show = (): void => {
    const { markers } = scene.shown;
    list.replaceChildren(...markers.map(item));
    save.toggleAttribute('disabled', markers.length === 0);
    summary.textContent = markers.length === 0 ? 'Markers' : `Markers (${quantityText(markers.length, 'count')})`;
  };
  scene.on(['markers'], show);
  show();
  const addAndList = (): void => {
    add();
    details.open = true;
  };
  const listen: MarkerPanel['listen'] = (canvas, timeAt, signal) => {
    const onMenu = (event: MouseEvent): void => {
      // The browser handles context menus opened by key or by a long touch.
      if (event.button !== 2) return;
      event.preventDefault();
      scene.set({ pointer: timeAt(event.offsetX) });
      addAndList();
    };
    const onKey = (event: KeyboardEvent): void => {
      const isOurs = event.key.toLowerCase() === 'm' && !event.ctrlKey && !event.metaKey && !event.altKey;
      // On the canvas, it is one of the timeline's keys.
      if (isOurs && event.target !== canvas && canvas.checkVisibility() && !isText(event)) addAndList();
    };
    canvas.addEventListener('contextmenu', onMenu, { signal });
    document.addEventListener('keydown', onKey, { signal });
  };
  return { place, add: addAndList, listen };
}
