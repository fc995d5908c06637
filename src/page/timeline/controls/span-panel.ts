/** Statistics of the selected span, in tables. */
import { button, element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import type { Scene } from '../model/scene.js';
import { spanStatistics, type LaneShare, type TextShare, type SpanStatistics } from '../model/span.js';
import { around } from '../model/view.js';

const MOST_ROWS = 10;
/** ms without a change before the statistics are computed. */
const PAUSE = 80;

type RowCells = readonly string[];

function table(title: string, heads: RowCells, rows: readonly RowCells[]): HTMLElement {
  const row = (tag: 'th' | 'td', cells: RowCells): HTMLElement =>
    element('tr', {}, ...cells.map((cell) => element(tag, tag === 'th' ? { scope: 'col' } : { title: cell }, cell)));
  const body = element('tbody', {}, ...rows.slice(0, MOST_ROWS).map((cells) => row('td', cells)));
  const more = rows.length > MOST_ROWS ? [`, ${MOST_ROWS} of ${rows.length}`] : [];
  return element('table', {}, element('caption', {}, title, ...more), element('thead', {}, row('th', heads)), body);
}

function shareTable(title: string, name: string, shares: readonly TextShare[], whole: number): HTMLElement {
  const rows = shares.map(({ text, count, time }) => [
    text ?? 'na',
    quantityText(count, 'count'),
    quantityText(time, 'ns'),
    quantityText(whole > 0 ? time / whole : null, 'share'),
  ]);
  return table(title, [name, 'events', 'time', 'share'], rows);
}

function laneTable(title: string, lanes: readonly LaneShare[]): HTMLElement {
  const rows = lanes.map(({ name, group, events, busy, share }) => [
    name === group ? group : `${group} / ${name}`,
    quantityText(events, 'count'),
    quantityText(busy, 'ns'),
    quantityText(share, 'share'),
  ]);
  return table(title, ['lane', 'events', 'busy', 'share'], rows);
}

function summary(span: SpanStatistics): string {
  const unknown = span.withoutBytes > 0 ? `, ${quantityText(span.withoutBytes, 'count')} events without` : '';
  return (
    `${quantityText(span.length, 'ns')}: ${quantityText(span.deviceCount, 'count')} events on devices, ` +
    `${quantityText(span.deviceTime, 'ns')} in sum; ${quantityText(span.bytes, 'bytes')}${unknown}; ` +
    `${quantityText(span.flops, 'flop')}; ${quantityText(span.hostCount, 'count')} events on threads`
  );
}

export function showSpan(scene: Scene, signal: AbortSignal): HTMLElement {
  const place = element('section', { class: 'tl-span', 'aria-label': 'Selected span', 'aria-live': 'polite' });
  const show = (): void => {
    const { span } = scene.shown;
    if (span === null) {
      place.replaceChildren();
      return;
    }
    const sums = spanStatistics(scene.events, span);
    const zoom = button('Zoom to span', () => scene.look(around(span.from, span.to, scene.events.span)));
    const clear = button('Clear', () => scene.set({ span: null }));
    const head = element('h3', {}, 'Span ', zoom, ' ', clear);
    const { drawn, merged } = scene.events.coverage;
    const scope = element(
      'p',
      { class: 'tl-scope' },
      `Only of what is drawn: ${[drawn, merged ?? []].flat().join('; ')}.`,
    );
    if (sums.lanes.length === 0) {
      place.replaceChildren(head, element('p', {}, `${quantityText(sums.length, 'ns')} without events`), scope);
      return;
    }
    place.replaceChildren(
      head,
      element('p', {}, summary(sums)),
      scope,
      element(
        'div',
        { class: 'tl-tables' },
        shareTable('By op', 'op', sums.byOp, sums.deviceTime),
        shareTable('By kernel', 'kernel', sums.byKernel, sums.deviceTime),
        shareTable('By kind', 'kind', sums.byKind, sums.deviceTime),
        laneTable('Devices', sums.devices),
        laneTable('Lanes', sums.lanes),
      ),
    );
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  scene.on(['span'], () => {
    clearTimeout(pause);
    pause = setTimeout(show, PAUSE);
  });
  signal.addEventListener('abort', () => clearTimeout(pause));
  show();
  return place;
}
