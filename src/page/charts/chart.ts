/**
 * Charts, drawn as SVG by Apache ECharts when they are near the window. Colours are variables of the style sheet, so that
 * changes between light, dark and print need no redraw. Tooltips are elements, not HTML text.
 */
import type { EChartsType, init } from 'echarts/core';
import { element } from '../document/dom-elements.js';
import { PAPER_WIDTH, doAllNow, forget, whenVisible } from '../document/when-visible.js';
import { readByKeys, type DrawnValues } from '../document/read-values.js';
import { chartValues, listOf, type ChartOption } from './chart-values.js';
import { pointedText } from './chart-style.js';

interface ChartLibrary {
  readonly init: typeof init;
}

/** The chart library, set by chart-library.ts; undefined until that script has run. */
const loaded = (): ChartLibrary | undefined => (globalThis as { readonly chartLibrary?: ChartLibrary }).chartLibrary;

/** @throws Error when the page lacks the script, which is a defect of the code that wrote the page */
function chartLibrary(): ChartLibrary {
  const known = loaded();
  if (known !== undefined) return known;
  const script = element('script');
  // An inserted script runs immediately; the page's policy allows this text.
  script.text = document.getElementById('charts')?.textContent ?? '';
  document.head.append(script);
  script.remove();
  const library = loaded();
  if (library === undefined) throw new Error('the chart library is missing from the page');
  return library;
}

/** @param click action for a click on a value, given its index in its series */
function valuesOf(made: EChartsType, option: ChartOption, click: ((data: number) => void) | null): DrawnValues {
  const values = chartValues(option);
  const series = listOf(option.series);
  let marked: object | null = null;
  const hide = (): void => {
    if (marked !== null) made.dispatchAction({ type: 'downplay', ...marked });
    made.dispatchAction({ type: 'hideTip' });
    marked = null;
  };
  const show = (at: number): string => {
    const value = values[at];
    if (value === undefined) return '';
    hide();
    marked = { seriesIndex: value.series, dataIndex: value.data };
    made.dispatchAction({ type: 'highlight', ...marked });
    made.dispatchAction({ type: 'showTip', ...marked });
    const name = series[value.series]?.name;
    return pointedText(option.tooltip, { dataIndex: value.data, seriesName: String(name ?? ''), axisValue: value.x });
  };
  const open = click === null ? {} : { open: (at: number) => click(values[at]?.data ?? 0) };
  return { count: values.length, show, hide, ...open };
}

const drawn = new Map<Element, EChartsType>();

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const made = drawn.get(target);
    // A chart in a tab that is not shown has no size. When the tab is shown again, the chart usually has its old size.
    if (target.clientWidth > 0 && target.clientWidth !== made?.getWidth()) made?.resize();
  }
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
 * A chart that can be read by keyboard.
 * @param label what the chart shows, with its main figures, for screen readers
 * @param height in pixels
 * @param option called when the chart is drawn
 * @param click called with the index of a data point that is clicked, or on which Enter is pressed
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

/** Draws all charts at paper width before printing, and restores their width afterwards. */
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
