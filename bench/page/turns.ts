/** A page and one that has nothing but a heading, opened in turn, so that both see the machine in the same state. */
import type { Browser } from 'playwright-core';
import { ratio, table } from '../report.js';
import { openingOf, part, type Figures } from './measured-page.js';

/** Of each page so many times; the middle one counts. */
const TIMES = 5;

interface Turns {
  readonly page: readonly Figures[];
  readonly heading: readonly Figures[];
}

export async function turnsOf(browser: Browser, page: string, heading: string): Promise<Turns> {
  const turns: { page: Figures[]; heading: Figures[] } = { page: [], heading: [] };
  for (let i = 0; i < TIMES; i++) {
    turns.heading.push(await openingOf(browser, heading, false));
    turns.page.push(await openingOf(browser, page, true));
  }
  return turns;
}

const middle = (all: readonly Figures[], key: keyof Figures): number =>
  part(
    all.map((figures) => figures[key]),
    0.5,
  );

/** `12`, or '' where there is none. */
const text = (ms: number, digits = 0): string => (Number.isNaN(ms) ? '' : ms.toFixed(digits));

const HEADS: readonly string[] = [
  ...['', 'MB', 'paint ms', '/ heading', 'ready ms', '/ heading', 'loaded ms', '/ heading'],
  ...['timeline ms', 'next step ms', 'whole ms', 'frame ms', '95 % ms', '95 % work ms'],
];

/** @param named the turns of each page, by its name */
export function turnsTable(named: ReadonlyMap<string, Turns>): string {
  const rows = [...named].map(([name, { page, heading }]) => {
    const of = (key: keyof Figures): number => middle(page, key);
    const beside = (key: keyof Figures): string => ratio(of(key), middle(heading, key));
    return [
      ...[name, (of('bytes') / 1e6).toFixed(2), text(of('paint')), beside('paint')],
      ...[text(of('ready')), beside('ready'), text(of('loaded')), beside('loaded')],
      ...[text(of('timeline')), text(of('next')), text(of('whole'))],
      ...[text(of('frame'), 1), text(of('slowFrame'), 1), text(of('work'), 1)],
    ];
  });
  return table([HEADS, ...rows]);
}
