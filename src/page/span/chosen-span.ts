/** The span of time that all tabs follow: its place in the address, and the bar that says so. */
import { inDeviceWords } from '../../record/glossary.js';
import { cutText, grouped, plural } from '../../record/plural.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import { button, element, isText } from '../document/dom-elements.js';
import { readFragment, withName } from '../document/fragment.js';
import { keepName } from '../document/kept-choice.js';
import { quantityText } from '../document/units.js';
import { readSpan, spanText } from '../timeline/model/timeline-address.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import type { SpanProfile } from './span-profile.js';

/** Address parameter: ns from the start of the shown profile. */
const SPAN = 'span';

export const readChosenSpan = (fragment: string): SelectedSpan | null => readSpan(readFragment(fragment).get(SPAN));

export const isSameSpan = (a: SelectedSpan | null, b: SelectedSpan | null): boolean =>
  a?.from === b?.from && a?.to === b?.to;

/** The span in whole ns that contains all of another. */
const inWholeNs = ({ from, to }: SelectedSpan): SelectedSpan => ({ from: Math.floor(from), to: Math.ceil(to) });

/** Address parameters with a place on the page and in the timeline, which would hide the span. */
const PLACES = ['panel', 't.piece', 't.view', 't.event'] as const;

/** Makes all tabs follow the span, with a new history entry; null for the whole profile. The current tab stays open. */
function chooseSpan(span: SelectedSpan | null): void {
  const text = span === null ? null : spanText(inWholeNs(span));
  const elsewhere = PLACES.reduce((hash, name) => withName(hash, name, null), location.hash);
  location.hash = withName(elsewhere, SPAN, text);
}

/** Removes the span from the address, without a new history entry. */
export const dropSpan = (): void => keepName(SPAN, null);

/** @param what the thing whose time is chosen: 'Only this step' */
export const spanButton = (what: string, span: SelectedSpan, label = what): HTMLElement =>
  button(label, () => chooseSpan(span), { title: `${what}: all tabs show only this time`, 'aria-label': what });

/** ` (step 3)` for the time of a step; '' for any other. */
function stepText({ stepBars, timeline }: PageProfile, span: SelectedSpan): string {
  const bar = stepBars.shown.find(({ start, span: length }) =>
    isSameSpan(inWholeNs({ from: start, to: start + length }), span),
  );
  const piece = timeline?.pieces.find(({ start, end }) => isSameSpan({ from: start, to: end }, span));
  if (bar !== undefined) return ` (step ${bar.step})`;
  return piece?.steps === undefined ? '' : ` (${piece.name})`;
}

/** `--from 12.3 --to 45.6`. */
export const optionsFor = ({ from, to }: SelectedSpan): string => `--from ${from / 1e6} --to ${to / 1e6}`;

/** A span that is shown. */
export interface ShownSpan extends SelectedSpan {
  /** Null when the page does not hold each of its events. */
  readonly data: SpanProfile | null;
}

/**
 * @param name name of the profile, '' when the page has only one
 * @param file the file in suggested commands, as a shell word
 */
function spanTextOf(whole: PageProfile, span: ShownSpan, name: string, file: string): string {
  const { data } = span;
  const place = `${quantityText(span.from, 'ns')} to ${quantityText(span.to, 'ns')}${name === '' ? '' : ` of ${name}`}`;
  const chosen = `Span: ${place}${stepText(whole, span)}`;
  if (data === null)
    return (
      `${chosen}. The page lacks events of this span, so all tabs show the whole profile. ` +
      `dprof html ${optionsFor(span)} ${file} -o PAGE makes a page with them.`
    );
  const { kernels, cut } = data;
  const inWords = (text: string): string => inDeviceWords(text, whole.overview.header);
  const count = inWords(`${grouped(kernels)} ${plural(kernels, 'kernel')}`);
  if (cut === 0) return `${chosen}: ${count}.`;
  const parts = inWords(cutText(cut));
  return `${chosen}: ${count}; its edges cut ${parts}: only the part inside counts, as with dprof ${optionsFor(span)}.`;
}

/** The bar above the tabs, which is empty while they show the whole profile. */
export class SpanBar {
  readonly place = element('div', { class: 'span-bar', role: 'status' });

  constructor() {
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isText(event) || this.place.childElementCount === 0)
        return;
      chooseSpan(null);
    });
  }

  /** @param span null for the whole profile */
  show(whole: PageProfile, span: ShownSpan | null, name: string, file: string): void {
    if (span === null) {
      this.place.replaceChildren();
      return;
    }
    const back = button('× Show whole profile', () => chooseSpan(null), { title: 'Show whole profile (Escape)' });
    this.place.replaceChildren(element('p', {}, spanTextOf(whole, span, name, file)), back);
  }
}
