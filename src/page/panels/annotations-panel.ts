/** Annotations of the user: the device time of each occurrence. */
import { lacking } from '../capture-hints.js';
import type { Annotation } from '../../prof/html/page-data.js';
import { replaceContents } from '../charts/chart.js';
import { boxedDefinitions, element, note, select } from '../document/dom-elements.js';
import { searched, timelineLink } from '../document/timeline-link.js';
import { namedFigure } from '../figures/figure.js';
import { median } from '../../record/statistics.js';
import { histogram } from '../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { quantityText } from '../document/units.js';

const LONGEST_LABEL = 90;
const short = (text: string): string => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text);

/** How reliable the number of occurrences is. */
const guessedText = (guessed: number, count: number): string =>
  [
    guessed === count ? 'Occurrences are' : `${quantityText(guessed, 'count')} of these occurrences are`,
    'inferred from the order of kernels: forward, backward and steps are kept apart, but passes with no other kernel',
    'between them count as one. With ranges of the host (dparse --ranges) each pass is counted.',
  ].join(' ');

function shownOf(view: PanelView, annotation: Annotation, at: number): Node[] {
  const { text, count, guessed, time, own, passes, host, hostSelf, samples } = annotation;
  const field = (key: string): string => `annotations.shown.${at}.${key}`;
  const sampled = samples.length < count ? ` (of ${samples.length} of them)` : '';
  return [
    element('p', { class: 'text annotation' }, timelineLink(view, text, `name==${searched(text)}`) ?? text),
    boxedDefinitions([
      ['Times passed', namedFigure(field('count'), count, 'count')],
      ['Device time', namedFigure(field('time'), time, 'ns')],
      ['launched by its own thread', namedFigure(field('own'), own, 'ns')],
      ['Mean', namedFigure(`${field('time')} / ${field('count')}`, count > 0 ? time / count : null, 'ns')],
      [`Median${sampled}`, quantityText(median(samples), 'ns')],
      ['Passes on the host', namedFigure(field('passes'), passes, 'count')],
      ['Host time', namedFigure(field('host'), host, 'ns')],
      ['outside of ranges within', namedFigure(field('hostSelf'), hostSelf, 'ns')],
    ]),
    samples.length === 0
      ? note(count === 0 ? 'Nothing was launched within.' : 'No time of a single occurrence is known.')
      : histogram('device time of an occurrence', samples),
    ...(guessed > 0 ? [note(guessedText(guessed, count))] : []),
  ];
}

function make(view: PanelView): PanelContent {
  const { shown, count } = view.profile.annotations;
  if (shown.length === 0) return lacking(view, 'annotations');
  const place = element('div');
  const show = (at: number): void => {
    const annotation = shown[at];
    if (annotation !== undefined) replaceContents(place, ...shownOf(view, annotation, at));
  };
  show(0);
  const choices = shown.map(({ text, count, time, host }, at) => {
    const shownTime = count === 0 ? `${quantityText(host, 'ns')} on the host` : quantityText(time, 'ns');
    return [at, `${short(text)} · ${shownTime}`] as const;
  });
  const picker = select('Annotation', choices, 0, show);
  const rest = count - shown.length;
  const further = `${rest} further annotations, those with the least time, are not on this page.`;
  return [picker, place, ...(rest > 0 ? [note(further)] : [])];
}

export const ANNOTATIONS: Panel = { id: 'annotations', title: 'Annotations', width: 3, make };
