/**
 * Charts: drawn as SVG by Apache ECharts when they come near the window. Colours are variables of the style sheet, so
 * that a change between light, dark and print needs no redraw. Tooltips are elements, not HTML text.
 */
import type { EChartsType } from 'echarts/core';
import { element } from '../document/dom-elements.js';
import { PAPER_WIDTH } from '../document/paper.js';
import { readByKeys, type DrawnValues } from '../document/read-values.js';
import { doAllNow, forget, whenVisible } from '../document/when-visible.js';
import type { ChartOption } from './chart-option.js';
import { valuesOf } from './chart-values.js';
import { chartLibrary } from './load-library.js';

const drawn = new Map<Element, EChartsType>();

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) drawn.get(target)?.resize();
});

function draw(place: HTMLElement, option: ChartOption, click: ((data: number) => void) | null): EChartsType {
  const made = chartLibrary().init(place, null, { renderer: 'svg' });
  made.setOption({ animation: false, textStyle: { fontFamily: 'inherit', color: 'var(--ink)' }, ...option });
  if (click !== null) made.on('click', ({ dataIndex }) => click(dataIndex));
  drawn.set(place, made);
  sizes.observe(place);
  return made;
}

/**
 * A chart that the keyboard reads.
 * @param label what the chart shows, with its main figures, for screen readers
 * @param height in pixels
 * @param option called when the chart is drawn
 * @param click called with the index of a data point that is clicked, or at which Enter is pressed
 */
export function chart(
  label: string,
  height: number,
  option: () => ChartOption,
  click: ((data: number) => void) | null = null,
): HTMLElement {
  const place = element('div', { class: 'chart' });
  place.style.height = `${height}px`;
  let values: DrawnValues | null = null;
  const said = readByKeys(place, label, () => values);
  whenVisible(place, () => {
    const drawn = option();
    values = valuesOf(draw(place, drawn, click), drawn, click);
  });
  return element('div', {}, place, said);
}

function disposeCharts(within: Element): void {
  for (const [place, made] of drawn) {
    if (!within.contains(place)) continue;
    sizes.unobserve(place);
    made.dispose();
    drawn.delete(place);
  }
}

/** Draws all charts before printing, as wide as the paper, and restores their width afterwards. */
export function drawForPaper(): void {
  window.addEventListener('beforeprint', () => {
    doAllNow();
    for (const [place, made] of drawn) {
      made.resize({ width: Math.min(PAPER_WIDTH, place.clientWidth || PAPER_WIDTH) });
      made.getZr().flush();
    }
  });
  window.addEventListener('afterprint', () => {
    for (const made of drawn.values()) made.resize({ width: 'auto' });
  });
}

export function replaceContents(place: Element, ...contents: readonly Node[]): void {
  forget(place);
  disposeCharts(place);
  place.replaceChildren(...contents);
}
